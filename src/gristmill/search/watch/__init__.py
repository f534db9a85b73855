"""Standing queries: what is watched for, and what was found."""
