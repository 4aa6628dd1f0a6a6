import { defineTool } from 'offstage'
import type { Tool } from 'offstage'
import { browserNetwork } from '../lib/browser-network.ts'
import { formatDay, formatMoney } from '../lib/format.ts'
import { wait } from '../lib/wait.ts'
import { findProduct, searchProducts } from './catalogue.ts'
import { proposedOrder, describeOrder, isUnchanged } from './proposed-order.ts'
import { priceOf, totalsOf } from './prices.ts'
import { quantityOf, type Shop } from './shop.ts'

/** Seconds until the courier confirms a slot. Leaves enough time to reload the page meanwhile. */
const COURIER_SECONDS = 6

const skuOnly = {
  type: 'object',
  properties: { sku: { type: 'string', description: 'As search_products gives it.' } },
  required: ['sku'],
} as const

/** Tools that the page gives the agent. They do the same as the buttons that people use. */
export function shopTools(shop: Shop): readonly Tool[] {
  return [...readingTools(shop), ...cartTools(shop), deliveryTool(shop), ...orderTools(shop)]
}

export function catalogueTool(): Tool {
  return defineTool({
    name: 'search_products',
    title: 'Search the catalogue',
    description: 'Finds products by words. Without a query: all of them.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        maxPrice: { type: 'number', description: 'In euros.' },
      },
    },
    annotations: { readOnly: true },
    execute: ({ query = '', maxPrice }) =>
      searchProducts(query, maxPrice === undefined ? undefined : maxPrice * 100).map(
        ({ sku, name, description, price }) => ({
          sku,
          name,
          description,
          price: formatMoney(price),
        }),
      ),
  })
}

function readingTools(shop: Shop): readonly Tool[] {
  return [
    catalogueTool(),
    defineTool({
      name: 'get_cart',
      title: 'Look into the cart',
      description: 'The cart with its prices.',
      annotations: { readOnly: true },
      execute: () => cartSummary(shop),
    }),
  ]
}

function cartTools(shop: Shop): readonly Tool[] {
  return [
    defineTool({
      name: 'add_to_cart',
      title: 'Put into the cart',
      description: 'Puts a product into the cart. The quantity is 1 when left out.',
      inputSchema: {
        type: 'object',
        properties: {
          sku: { type: 'string', description: 'As search_products gives it.' },
          quantity: { type: 'integer', minimum: 1, maximum: 20 },
        },
        required: ['sku'],
      },
      annotations: { reversible: true },
      execute({ sku, quantity = 1 }) {
        shop.add(sku, quantity)
        return cartSummary(shop)
      },
      undo: ({ sku, quantity = 1 }) => shop.takeOut(sku, quantity),
    }),
    defineTool({
      name: 'remove_from_cart',
      title: 'Take out of the cart',
      description: 'Takes a product out of the cart, whatever its quantity.',
      inputSchema: skuOnly,
      annotations: { reversible: true },
      execute({ sku }) {
        const removed = quantityOf(shop.getState(), sku)
        shop.remove(sku)
        return { removed, ...cartSummary(shop) }
      },
      undo: ({ sku }, output) => shop.add(sku, (output as { removed: number }).removed),
    }),
    defineTool({
      name: 'set_quantity',
      title: 'Set a quantity',
      description: 'Sets the quantity of a product in the cart; 0 takes it out.',
      inputSchema: {
        type: 'object',
        properties: { sku: { type: 'string' }, quantity: { type: 'integer', minimum: 0 } },
        required: ['sku', 'quantity'],
      },
      annotations: { idempotent: true },
      execute({ sku, quantity }) {
        shop.setQuantity(sku, quantity)
        return cartSummary(shop)
      },
    }),
  ]
}

/** The tool runs long enough that you can reload the page in the middle. */
function deliveryTool(shop: Shop): Tool {
  return defineTool({
    name: 'book_delivery',
    title: 'Book a delivery slot',
    description: `Books a time slot with the courier. Takes about ${COURIER_SECONDS} seconds.`,
    inputSchema: {
      type: 'object',
      properties: { slot: { type: 'string', description: 'For example: Thursday morning.' } },
      required: ['slot'],
    },
    // The courier recognizes a request by its key, so a repeated request after a reload books nothing twice.
    annotations: { idempotent: true, openWorld: true },
    async execute({ slot }, { idempotencyKey, progress, signal }) {
      const { number, requests } = shop.bookDelivery(slot, idempotencyKey)
      for (let second = 1; second <= COURIER_SECONDS; second++) {
        if (browserNetwork.isOffline) progress('Waiting for the network')
        await browserNetwork.whenOnline(signal)
        progress({
          progress: second,
          total: COURIER_SECONDS,
          message: `Asking the courier, ${second}/${COURIER_SECONDS} s`,
        })
        await wait(1000, signal)
      }
      return { confirmed: slot, bookingNumber: number, requests }
    },
  })
}

function orderTools(shop: Shop): readonly Tool[] {
  return [
    defineTool({
      name: 'apply_coupon',
      title: 'Apply a coupon',
      description: 'Applies a coupon code to the cart.',
      inputSchema: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
      annotations: { idempotent: true },
      execute({ code }) {
        shop.applyCoupon(code)
        return cartSummary(shop)
      },
    }),
    defineTool({
      name: 'checkout',
      title: 'Place the order',
      description: 'Orders and pays for what is in the cart. A person is asked first.',
      inputSchema: {
        type: 'object',
        properties: { speed: { enum: ['standard', 'express'] } },
        required: ['speed'],
      },
      annotations: { destructive: true },
      describe: ({ speed }) => ({ text: describeOrder(shop, speed), data: proposedOrder(shop) }),
      execute({ speed }, { about }) {
        if (about !== undefined && !isUnchanged(shop, about))
          throw new Error(
            'The cart has changed since the person was asked, so nothing was ordered.',
          )
        const { id, total, deliveredBy } = shop.checkOut(speed)
        return { order: id, paid: formatMoney(total), deliveredBy: formatDay(deliveredBy) }
      },
    }),
  ]
}

/** Describes the cart in words that a model can quote. */
export function cartSummary(shop: Shop): object {
  const state = shop.getState()
  const { discount, total } = totalsOf(state)
  return {
    lines: state.cart.map((line) => ({
      ...line,
      name: findProduct(line.sku)?.name ?? line.sku,
      price: formatMoney(priceOf(line)),
    })),
    ...(discount > 0 && { coupon: state.coupon ?? '', discount: formatMoney(discount) }),
    total: formatMoney(total),
  }
}
