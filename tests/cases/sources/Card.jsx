import { price } from "./price";

// The card of a product doesn't need JSON-LD.
export const Card = ({ product, children, ...rest }) => (
  <article itemScope itemType="https://schema.org/Product" className="card" {...rest}>
    <h2 itemProp="name">{product.name}</h2>
    <Image src={product.image} alt="" itemProp="image" />
    <img itemProp="image" src={product.image} />
    {product.offers.map((offer) => (
      <div key={offer.id} itemProp="offers" itemScope itemType={"https://schema.org/Offer"}>
        {offer.price > 1 ? <meta itemProp="price" content={price(offer)} /> : null}
        <meta itemProp="priceCurrency" content="EURO" />
        <link itemProp="availability" href="https://schema.org/InStock" />
      </div>
    ))}
    <>{children}</>
  </article>
);
