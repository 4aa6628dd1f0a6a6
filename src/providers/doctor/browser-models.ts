import { asRecord } from '../core/read-json.ts'
import { globalOf } from './browser-environment.ts'

/** The result of `LanguageModel.availability()` (https://webmachinelearning.github.io/prompt-api/). */
export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

const AVAILABILITIES: readonly unknown[] = ['downloadable', 'downloading', 'available']

/** Returns the availability of the browser's own model: `'unavailable'` also without the API, as in workers. */
export async function browserModel(): Promise<Availability> {
  const api = globalOf('LanguageModel')
  if (typeof api !== 'function') return 'unavailable'
  const availability: unknown = Reflect.get(api, 'availability')
  if (typeof availability !== 'function') return 'unavailable'
  try {
    // Without a language, Chromium complains on the console.
    const expectedOutputs = [{ type: 'text', languages: ['en'] }]
    const answer: unknown = await Reflect.apply(availability, api, [{ expectedOutputs }])
    return AVAILABILITIES.includes(answer) ? (answer as Availability) : 'unavailable'
  } catch {
    return 'unavailable'
  }
}

export interface WebGpu {
  /** Half-size floats: models built for them take less memory. */
  readonly shaderF16: boolean
}

/** Returns the WebGPU adapter's features; undefined if there is none. */
export async function findWebGpu(): Promise<WebGpu | undefined> {
  const gpu = asRecord(asRecord(globalOf('navigator'))?.['gpu'])
  const requestAdapter = gpu?.['requestAdapter']
  if (typeof requestAdapter !== 'function') return undefined
  try {
    const adapter: unknown = await Reflect.apply(requestAdapter, gpu, [])
    const features = asRecord(adapter)?.['features'] as ReadonlySet<string> | undefined
    return features && { shaderF16: features.has('shader-f16') }
  } catch {
    return undefined
  }
}
