"""Language server: findings while a page is written."""
