import type { JsonValue } from 'offstage'
import { formatDay, formatMoney } from '../lib/format.ts'
import { findProduct } from './catalogue.ts'
import { deliveryPrices, priceOf, totalsOf } from './prices.ts'
import { arrivalOf, type Shop } from './shop.ts'
import type { Speed } from './shop-state.ts'

/** The order that a user is asked to approve. Stored with the approval request. Prices are in cents. */
export type AskedOrder = {
  readonly lines: readonly { readonly text: string; readonly price: number }[]
  readonly discount: number
  /** Total price without delivery. */
  readonly total: number
}

export function askedOrder(shop: Shop): AskedOrder {
  const state = shop.getState()
  const { discount, total } = totalsOf(state)
  const lines = state.cart.map((line) => ({
    text: `${line.quantity} × ${findProduct(line.sku)?.name ?? line.sku}`,
    price: priceOf(line),
  }))
  return { lines, discount, total }
}

/** Describes the order in one line. */
export function describeOrder(shop: Shop, speed: Speed): string {
  const { lines, total } = askedOrder(shop)
  const goods = lines.map(({ text }) => text).join(', ')
  const price = formatMoney(total + deliveryPrices[speed])
  return `${goods}: ${price} with ${speed} delivery, by ${formatDay(arrivalOf(speed))}`
}

/** Whether the order is unchanged since approval was requested. */
export function isStill(shop: Shop, about: JsonValue): boolean {
  const now = askedOrder(shop)
  return isAskedOrder(about) && textOf(about) === textOf(now)
}

export function isAskedOrder(about: JsonValue | undefined): about is AskedOrder {
  return typeof about === 'object' && about !== null && 'lines' in about
}

function textOf({ lines, total }: AskedOrder): string {
  return JSON.stringify([lines.map(({ text, price }) => [text, price]), total])
}
