import { findProduct } from './catalogue.ts'
import { deliveryPrices, isCoupon, totalsOf } from './prices.ts'
import { loadShop, onOtherTabSaved, saveShop } from './shop-state.ts'
import type { Delivery, Order, ShopState, Speed } from './shop-state.ts'

export const MAX_QUANTITY = 20

const DAY_MS = 86_400_000
const DELIVERY_DAYS: Readonly<Record<Speed, number>> = { standard: 3, express: 1 }

/**
 * The shop's model: what its buttons and the agent's tools both use. Methods throw an `Error` whose
 * words suit a person and a model alike.
 */
export interface Shop {
  getState(): ShopState
  subscribe(listener: () => void): () => void
  add(sku: string, quantity: number): void
  remove(sku: string): void
  /** Takes out as many as were added. Throws if the cart holds fewer. */
  takeOut(sku: string, quantity: number): void
  setQuantity(sku: string, quantity: number): void
  applyCoupon(code: string): void
  /** Books a slot once for each key. */
  bookDelivery(slot: string, key: string): Delivery
  checkOut(speed: Speed): Order
}

export function createShop(): Shop {
  let state = loadShop()
  const listeners = new Set<() => void>()

  const setState = (next: ShopState): void => {
    state = next
    for (const listener of listeners) listener()
  }
  const change = (part: Partial<ShopState>): void => {
    setState({ ...state, ...part })
    saveShop(state)
  }
  const setQuantity = (sku: string, quantity: number): void => {
    requireProduct(sku)
    if (!Number.isInteger(quantity) || quantity < 0 || quantity > MAX_QUANTITY)
      throw new Error(`The quantity must be a whole number from 0 to ${MAX_QUANTITY}.`)
    const remaining = state.cart.filter((line) => line.sku !== sku || quantity > 0)
    const isNew = quantity > 0 && !remaining.some((line) => line.sku === sku)
    const cart = remaining.map((line) => (line.sku === sku ? { sku, quantity } : line))
    change({ cart: isNew ? [...cart, { sku, quantity }] : cart })
  }
  onOtherTabSaved(() => setState(loadShop()))

  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    add: (sku, quantity) => setQuantity(sku, quantityOf(state, sku) + quantity),
    remove(sku) {
      if (!quantityOf(state, sku)) throw new Error(`The cart holds no ${sku}.`)
      setQuantity(sku, 0)
    },
    takeOut(sku, quantity) {
      const current = quantityOf(state, sku)
      if (current < quantity) throw new Error(`The cart holds only ${current} of ${sku} by now.`)
      setQuantity(sku, current - quantity)
    },
    setQuantity,
    applyCoupon(code) {
      const coupon = code.trim().toUpperCase()
      if (!isCoupon(coupon)) throw new Error(`There is no coupon ${coupon}.`)
      change({ coupon })
    },
    bookDelivery(slot, key) {
      const { deliveries } = state
      const existing = deliveries.find((each) => each.key === key)
      const delivery = existing
        ? { ...existing, requests: existing.requests + 1 }
        : { slot, key, number: deliveries.length + 1, requests: 1 }
      const otherDeliveries = deliveries.filter((each) => each !== existing)
      change({ deliveries: [...otherDeliveries, delivery] })
      return delivery
    },
    checkOut(speed) {
      const order = makeOrder(state, speed)
      change({ cart: [], coupon: null, orders: [order, ...state.orders] })
      return order
    },
  }
}

export function quantityOf({ cart }: ShopState, sku: string): number {
  return cart.find((line) => line.sku === sku)?.quantity ?? 0
}

/** When an order that is made now arrives. Milliseconds since 1970. */
export function arrivalOf(speed: Speed): number {
  return Date.now() + DELIVERY_DAYS[speed] * DAY_MS
}

function makeOrder(state: ShopState, speed: Speed): Order {
  if (!state.cart.length) throw new Error('The cart is empty, so there is nothing to order.')
  return {
    id: `K-${1001 + state.orders.length}`,
    lines: state.cart,
    total: totalsOf(state).total + deliveryPrices[speed],
    speed,
    deliveredBy: arrivalOf(speed),
  }
}

function requireProduct(sku: string): void {
  if (!findProduct(sku)) throw new Error(`There is no product ${sku}. Search for its sku first.`)
}
