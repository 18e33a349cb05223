"""What a page displays near its main heading, and how the values of its items compare with it."""
