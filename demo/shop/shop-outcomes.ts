import type { Outcomes } from '../model/outcome.ts'

export const shopOutcomes: Outcomes = {
  checkout: {
    denied: 'OK, nothing was ordered. Your cart is as it was.',
    describe: ({ order, deliveredBy }) =>
      `Order ${String(order)} is placed, arriving by ${String(deliveredBy)}.`,
  },
  book_delivery: {
    describe({ confirmed, requests }) {
      const courierNote =
        requests === 1
          ? 'The courier saw 1 request, 1 booking.'
          : `The courier saw ${String(requests)} requests, 1 booking (same idempotency key).`
      return `Booked: ${String(confirmed)}. ${courierNote}`
    },
  },
}
