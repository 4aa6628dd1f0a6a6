import { byId, el, setText } from '../lib/dom.ts'
import { formatMoney } from '../lib/format.ts'
import type { View } from '../lib/keyed-list.ts'
import { createKeyedList } from '../lib/keyed-list.ts'
import { findProduct } from './catalogue.ts'
import { priceOf, totalsOf } from './prices.ts'
import type { Shop } from './shop.ts'
import { MAX_QUANTITY } from './shop.ts'
import type { CartLine, ShopState } from './shop-state.ts'
import { runShopAction } from './run-shop-action.ts'

export function showCart(shop: Shop): void {
  const title = byId('cart-title', HTMLElement)
  const checkout = byId('checkout', HTMLButtonElement)
  const empty = byId('cart-empty', HTMLElement)
  const showLines = createKeyedList<CartLine>(byId('cart-lines', HTMLElement), {
    key: ({ sku }) => sku,
    // The line that had the focus is gone: the heading takes it.
    create: (line) => createLine(shop, line, () => title.focus()),
  })
  const render = (): void => {
    const state = shop.getState()
    showLines(state.cart)
    empty.hidden = state.cart.length > 0
    checkout.disabled = state.cart.length === 0
    showTotals(state)
  }
  checkout.addEventListener('click', () => runShopAction(() => void shop.checkOut('standard')))
  listenToCoupons(shop)
  shop.subscribe(render)
  render()
}

function createLine(shop: Shop, { sku }: CartLine, onRemoved: () => void): View<CartLine> {
  const name = findProduct(sku)?.name ?? sku
  const quantity = el('input', { type: 'number', min: 1, max: MAX_QUANTITY, step: 1 })
  quantity.setAttribute('aria-label', `Quantity of ${name}`)
  quantity.addEventListener('change', () =>
    runShopAction(() => shop.setQuantity(sku, quantity.valueAsNumber)),
  )
  const remove = el('button', { type: 'button', class: 'quiet' }, '✕')
  remove.setAttribute('aria-label', `Remove ${name} from the cart`)
  remove.addEventListener('click', () => {
    runShopAction(() => shop.remove(sku))
    onRemoved()
  })
  const price = el('span', { class: 'line-price' })
  const element = el('li', {}, el('span', { class: 'line-name' }, name), quantity, price, remove)
  return {
    element,
    update(line) {
      quantity.value = String(line.quantity)
      setText(price, formatMoney(priceOf(line)))
    },
  }
}

function listenToCoupons(shop: Shop): void {
  const code = byId('coupon', HTMLInputElement)
  byId('coupon-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    runShopAction(() => {
      shop.applyCoupon(code.value)
      code.value = ''
    })
  })
}

function showTotals(state: ShopState): void {
  const { discount, total } = totalsOf(state)
  byId('discount-row', HTMLElement).hidden = discount === 0
  setText(byId('discount-name', HTMLElement), `Coupon ${state.coupon ?? ''}`)
  setText(byId('discount', HTMLElement), `−${formatMoney(discount)}`)
  const delivery = state.deliveries.at(-1)
  byId('delivery-row', HTMLElement).hidden = delivery === undefined
  const { slot, number } = delivery ?? { slot: '', number: 0 }
  setText(byId('delivery', HTMLElement), `${slot} (booking ${number})`)
  setText(byId('total', HTMLElement), formatMoney(total))
}
