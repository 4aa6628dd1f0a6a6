import { findProduct } from './catalogue.ts'
import type { CartLine, ShopState, Speed } from './shop-state.ts'

/** Percent off, by code. */
const coupons = new Map([['WELCOME10', 10]])

export function isCoupon(code: string): boolean {
  return coupons.has(code)
}

/** Delivery prices in cents. */
export const deliveryPrices: Readonly<Record<Speed, number>> = { standard: 0, express: 490 }

/** All prices are in cents. */
export interface Totals {
  readonly goods: number
  readonly discount: number
  readonly total: number
}

export function totalsOf({ cart, coupon }: Pick<ShopState, 'cart' | 'coupon'>): Totals {
  const goods = cart.reduce((sum, line) => sum + priceOf(line), 0)
  const discount = Math.round((goods * (coupons.get(coupon ?? '') ?? 0)) / 100)
  return { goods, discount, total: goods - discount }
}

export function priceOf({ sku, quantity }: CartLine): number {
  return (findProduct(sku)?.price ?? 0) * quantity
}
