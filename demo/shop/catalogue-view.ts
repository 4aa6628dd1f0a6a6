import { byId, el, setText } from '../lib/dom.ts'
import { formatMoney } from '../lib/format.ts'
import type { View } from '../lib/keyed-list.ts'
import { createKeyedList } from '../lib/keyed-list.ts'
import type { Product } from './catalogue.ts'
import { searchProducts } from './catalogue.ts'
import { drawProduct } from './picture.ts'
import type { Shop } from './shop.ts'
import { quantityOf } from './shop.ts'
import { runShopAction } from './run-shop-action.ts'

export function showCatalogue(shop: Shop): void {
  const search = byId('search', HTMLInputElement)
  const emptyNote = byId('no-products', HTMLElement)
  const showProducts = createKeyedList<Product>(byId('products', HTMLElement), {
    key: ({ sku }) => sku,
    create: (product) => createCard(shop, product),
  })
  const render = (): void => {
    const found = searchProducts(search.value)
    showProducts(found)
    emptyNote.hidden = found.length > 0
  }
  search.addEventListener('input', render)
  shop.subscribe(render)
  render()
}

function createCard(shop: Shop, product: Product): View<Product> {
  const inCart = el('span', { class: 'in-cart' })
  const add = (): void => runShopAction(() => shop.add(product.sku, 1))
  const button = el('button', { type: 'button', onclick: add }, 'Add')
  button.setAttribute('aria-label', `Add ${product.name} to the cart`)
  const element = el(
    'li',
    { class: 'product' },
    drawProduct(product),
    el('h2', {}, product.name),
    el('p', { class: 'product-about' }, product.description),
    el('p', { class: 'product-foot' }, el('span', {}, formatMoney(product.price)), inCart, button),
  )
  return {
    element,
    update() {
      const quantity = quantityOf(shop.getState(), product.sku)
      setText(inCart, quantity ? `${quantity} in cart` : '')
    },
  }
}
