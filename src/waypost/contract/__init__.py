"""Published contract of the service, as data shared by the service, the client and the site."""
