"""What the service promises, as data that the service, the client and the site share."""
