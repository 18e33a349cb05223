export const Card = ({ product }) => (
  <div itemScope itemType="https://schema.org/Product">
    <Image src={product.image} itemProp="image" />
    <span itemProp="▮">{product.name > 1 ? `a` : 'b'}</span>
  </div>
);
