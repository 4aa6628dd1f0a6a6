import { modelName, type ModelConfigData, type ModelPrices } from '../../protocol/model.ts'
import { isPricedVendor } from '../../protocol/prices.ts'
import { listPrices } from './list-prices.ts'

/** What a vendor asks for a model, and who said so when. */
export interface ListPrice {
  readonly prices: ModelPrices
  /** Where it was read. */
  readonly source: string
  /** When: year, month, day. */
  readonly asOf: string
}

type Priced = Pick<ModelConfigData, 'provider' | 'prices'> & { readonly model?: string }

/** What a model costs: as the app says, else as its vendor's list does; undefined: not known. */
export function pricesOf(model: Priced): ModelPrices | undefined {
  return model.prices ?? listPrice(model)?.prices
}

/**
 * The list price of a vendor for a model, by its whole name: with whom it is bought counts, since others ask other
 * prices for the same model. Undefined: not known.
 */
export function listPrice({ provider, model }: Omit<Priced, 'prices'>): ListPrice | undefined {
  if (!isPricedVendor(provider)) return undefined
  const name = modelName({ provider, ...(model !== undefined && { model }) })
  const plain = name.toLowerCase().replace(/^models\//, '')
  const row = listPrices[provider].find(([models]) => models.test(plain))
  if (row === undefined) return undefined
  const [, [input, output, cachedInput, cacheWrite], source, asOf] = row
  const prices = {
    input,
    output,
    ...(cachedInput !== undefined && { cachedInput }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  }
  return { prices, source, asOf }
}
