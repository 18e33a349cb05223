"""What Acme requires of the structured data of its pages: `acme.toml` is the configuration, the modules are rules."""
