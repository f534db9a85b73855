"""Who may ask what: names of the server, tokens against forgery, users, headers, limits."""
