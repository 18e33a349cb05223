"""Console for people in a browser: pages, forms, sessions."""
