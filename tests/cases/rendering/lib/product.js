const s = document.createElement('script');
s.type = 'application/ld+json';
s.text = JSON.stringify({"@context":"https://schema.org","@type":"Product","name":"Kettle","offers":{"@type":"Offer","price":"12.00","priceCurrency":"EUR"}});
document.head.append(s);
