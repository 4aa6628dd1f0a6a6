import { storedValue } from '../lib/stored.ts'

/** The state that the shop stores. Prices aren't part of it: they come from the catalogue. */
export interface ShopState {
  readonly cart: readonly CartLine[]
  readonly coupon: string | null
  /** Bookings with the courier, newest last. */
  readonly deliveries: readonly Delivery[]
  /** Orders, newest first. */
  readonly orders: readonly Order[]
}

export interface CartLine {
  readonly sku: string
  readonly quantity: number
}

/** The courier's time slot. */
export interface Delivery {
  readonly slot: string
  /** Idempotency key of the request that booked the slot. Repeating the request books nothing more. */
  readonly key: string
  /** Number of slots booked so far, including this one. */
  readonly number: number
  /** Number of requests to the courier for this slot. */
  readonly requests: number
}

export interface Order {
  readonly id: string
  readonly lines: readonly CartLine[]
  /** Total price in cents. */
  readonly total: number
  readonly speed: Speed
  /** Expected delivery, in milliseconds since 1970. */
  readonly deliveredBy: number
}

export type Speed = 'standard' | 'express'

const emptyShop: ShopState = { cart: [], coupon: null, deliveries: [], orders: [] }

const STORAGE_KEY = 'kiln-shop'
const store = storedValue('localStorage', STORAGE_KEY)

export function loadShop(): ShopState {
  const state = store.read()
  return isShopState(state) ? state : emptyShop
}

export function saveShop(state: ShopState): void {
  store.write(state)
}

/** Calls back when another tab of the shop has saved its state. */
export function onOtherTabSaved(callback: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === STORAGE_KEY) callback()
  })
}

function isShopState(value: unknown): value is ShopState {
  return (
    typeof value === 'object' &&
    value !== null &&
    'cart' in value &&
    Array.isArray(value.cart) &&
    'orders' in value &&
    Array.isArray(value.orders) &&
    'deliveries' in value &&
    Array.isArray(value.deliveries)
  )
}
