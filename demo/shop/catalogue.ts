export type Shape = 'mug' | 'espresso' | 'teapot' | 'bowl' | 'plate' | 'vase' | 'jug'

export interface Product {
  readonly sku: string
  readonly name: string
  readonly description: string
  /** In cents of a euro. */
  readonly price: number
  readonly shape: Shape
  /** Colour of the glaze. */
  readonly glaze: string
}

export const products: readonly Product[] = [
  {
    sku: 'mug-blue',
    name: 'Blue mug',
    description: 'Holds 350 ml, cobalt glaze.',
    price: 1400,
    shape: 'mug',
    glaze: '#3f6fb5',
  },
  {
    sku: 'mug-sand',
    name: 'Sand mug',
    description: 'Holds 350 ml, unglazed outside.',
    price: 1250,
    shape: 'mug',
    glaze: '#d3b48c',
  },
  {
    sku: 'espresso-red',
    name: 'Espresso cup',
    description: 'Holds 80 ml, iron-red glaze.',
    price: 900,
    shape: 'espresso',
    glaze: '#b8513f',
  },
  {
    sku: 'teapot-green',
    name: 'Green teapot',
    description: 'Holds one litre, with a strainer.',
    price: 4800,
    shape: 'teapot',
    glaze: '#5f8f6f',
  },
  {
    sku: 'bowl-cream',
    name: 'Soup bowl',
    description: '16 cm across, cream glaze.',
    price: 1600,
    shape: 'bowl',
    glaze: '#e4d6b8',
  },
  {
    sku: 'plate-slate',
    name: 'Dinner plate',
    description: '27 cm across, slate glaze.',
    price: 1900,
    shape: 'plate',
    glaze: '#6f7c86',
  },
  {
    sku: 'jug-white',
    name: 'Milk jug',
    description: 'Holds 300 ml, white glaze.',
    price: 2200,
    shape: 'jug',
    glaze: '#ddd9d2',
  },
  {
    sku: 'vase-ochre',
    name: 'Tall vase',
    description: '24 cm high, ochre glaze.',
    price: 3600,
    shape: 'vase',
    glaze: '#cc9a3d',
  },
]

export function findProduct(sku: string): Product | undefined {
  return products.find((product) => product.sku === sku)
}

/** Products that hold every word of the query, in any letter case; a plural `s` doesn't matter. */
export function searchProducts(query: string, maxPrice = Number.POSITIVE_INFINITY): Product[] {
  const words = query
    .toLowerCase()
    .split(/\W+/)
    .map((word) => (word.length > 3 ? word.replace(/s$/, '') : word))
  return products.filter(({ sku, name, description, price }) => {
    const text = `${sku} ${name} ${description}`.toLowerCase()
    return price <= maxPrice && words.every((word) => text.includes(word))
  })
}
