import { stored } from '../lib/stored.ts'

/** What the shop remembers. Prices are looked up in the catalogue, never stored in the cart. */
export interface ShopState {
  readonly cart: readonly CartLine[]
  readonly coupon: string | null
  readonly delivery: Delivery | null
  /** Newest first. */
  readonly orders: readonly Order[]
}

export interface CartLine {
  readonly sku: string
  readonly quantity: number
}

/** A time slot at the courier's. */
export interface Delivery {
  readonly slot: string
  /** Of the request that booked it: the same request again books nothing more. */
  readonly key: string
  /** How many slots were booked so far, this one included. */
  readonly number: number
  /** How often the courier was asked for it. */
  readonly requests: number
}

export interface Order {
  readonly id: string
  readonly lines: readonly CartLine[]
  /** In cents. */
  readonly total: number
  readonly speed: Speed
  /** Milliseconds since 1970. */
  readonly deliveredBy: number
}

export type Speed = 'standard' | 'express'

const emptyShop: ShopState = { cart: [], coupon: null, delivery: null, orders: [] }

const STORAGE_KEY = 'kiln-shop'
const store = stored('localStorage', STORAGE_KEY)

export function loadShop(): ShopState {
  const state = store.read()
  return isShopState(state) ? state : emptyShop
}

export function saveShop(state: ShopState): void {
  store.write(state)
}

/** Calls back when another tab of the same shop has saved. */
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
    Array.isArray(value.orders)
  )
}
