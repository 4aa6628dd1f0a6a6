import type { JsonValue } from 'offstage'
import { formatDay, formatMoney } from '../lib/format.ts'
import { findProduct } from './catalogue.ts'
import { deliveryPrices, priceOf, totalsOf } from './prices.ts'
import { arrivalOf, type Shop } from './shop.ts'
import type { Speed } from './shop-state.ts'

/** The order that a user is asked to approve. Stored with the approval request. Prices are in cents. */
export type ProposedOrder = {
  readonly lines: readonly { readonly text: string; readonly price: number }[]
  readonly discount: number
  /** Total price without delivery. */
  readonly total: number
}

export function proposedOrder(shop: Shop): ProposedOrder {
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
  const { lines, total } = proposedOrder(shop)
  const goods = lines.map(({ text }) => text).join(', ')
  const price = formatMoney(total + deliveryPrices[speed])
  return `${goods}: ${price} with ${speed} delivery, by ${formatDay(arrivalOf(speed))}`
}

/** Whether the order is unchanged since approval was requested. */
export function isUnchanged(shop: Shop, about: JsonValue): boolean {
  const current = proposedOrder(shop)
  return isProposedOrder(about) && textOf(about) === textOf(current)
}

export function isProposedOrder(about: JsonValue | undefined): about is ProposedOrder {
  return typeof about === 'object' && about !== null && 'lines' in about
}

function textOf({ lines, total }: ProposedOrder): string {
  return JSON.stringify([lines.map(({ text, price }) => [text, price]), total])
}
