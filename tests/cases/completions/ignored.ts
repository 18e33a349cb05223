const schema = { "@type": "Product",
  // waypost-ignore price-▮: until May
  offers: { "@type": "Offer" } };
