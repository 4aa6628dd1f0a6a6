/** Ids of the providers with a built-in price list. */
export const PRICED_VENDORS = ['openai', 'anthropic', 'gemini', 'minimax'] as const

export type PricedVendor = (typeof PRICED_VENDORS)[number]

export function isPricedVendor(provider: string): provider is PricedVendor {
  return (PRICED_VENDORS as readonly string[]).includes(provider)
}

/** Error message for a cost limit without known prices of the model. */
export function pricesMissing(model: string): string {
  return `limits.costUSD needs the prices of ${model}, which are not known here: say model.prices, like { input: 3, cachedInput: 0.3, output: 15 } in USD per million tokens.`
}
