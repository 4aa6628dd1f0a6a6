import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createShop } from '../../../demo/shop/shop.ts'

beforeEach(() => void vi.stubGlobal('addEventListener', () => undefined))
afterEach(() => vi.unstubAllGlobals())

test('a repeated request books nothing, even after another booking', () => {
  const shop = createShop()
  const first = shop.bookDelivery('Thursday morning', 'first')
  shop.bookDelivery('Friday', 'second')
  const repeated = shop.bookDelivery('Thursday morning', 'first')
  expect(repeated).toEqual({ ...first, requests: 2 })
  expect(shop.getState().deliveries).toHaveLength(2)
})
