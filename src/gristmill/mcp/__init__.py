"""Tools for assistants: a server of the Model Context Protocol that offers operations which only read."""
