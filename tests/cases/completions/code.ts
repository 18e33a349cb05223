const options = { method: 'POST', "▮": 1 };
