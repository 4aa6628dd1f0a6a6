import { byId, el } from '../lib/dom.ts'
import { formatDay, formatMoney } from '../lib/format.ts'
import type { View } from '../lib/keyed-list.ts'
import { createKeyedList } from '../lib/keyed-list.ts'
import { findProduct } from './catalogue.ts'
import type { Shop } from './shop.ts'
import type { Order } from './shop-state.ts'

export function showOrders(shop: Shop): void {
  const empty = byId('orders-empty', HTMLElement)
  const showList = createKeyedList<Order>(byId('orders', HTMLElement), {
    key: ({ id }) => id,
    create: createOrder,
  })
  const render = (): void => {
    const { orders } = shop.getState()
    showList(orders)
    empty.hidden = orders.length > 0
  }
  shop.subscribe(render)
  render()
}

function createOrder({ id, lines, total, deliveredBy }: Order): View<Order> {
  const goods = lines
    .map(({ sku, quantity }) => `${quantity} × ${findProduct(sku)?.name ?? sku}`)
    .join(', ')
  const element = el(
    'li',
    {},
    el('p', { class: 'order-head' }, el('strong', {}, id), el('span', {}, formatMoney(total))),
    el('p', {}, goods),
    el('p', { class: 'hint' }, `Arrives by ${formatDay(deliveredBy)}`),
  )
  // An order never changes.
  return { element, update: () => undefined }
}
