import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { inProject } from '../../scripts/lib/project.mjs'
import type { LanguageModelLike } from '../../src/ai-sdk/model/language-model.ts'
import { installAside } from '../apps/install-aside.ts'

/** Where the packages are: their `engines` leave out versions of Node that the project is developed on. */
export const PACKAGES = inProject('.cache/ai-sdk')

interface VendorSettings {
  readonly name: string
  readonly baseURL: string
  readonly apiKey?: string | undefined
  readonly includeUsage?: boolean
  readonly fetch?: typeof fetch | undefined
}

export type CreateVendor = (settings: VendorSettings) => (modelId: string) => LanguageModelLike

export interface Packages {
  /** One vendor's package, of each specification of models. */
  readonly createV2: CreateVendor
  readonly createV3: CreateVendor
  readonly createV4: CreateVendor
}

let prepared: Promise<void> | undefined

/** Installs the packages once. */
export function preparePackages(): Promise<void> {
  prepared ??= installAside(inProject('test/ai-sdk'), PACKAGES)
  return prepared
}

export async function packages(): Promise<Packages> {
  await preparePackages()
  const file = pathToFileURL(path.join(PACKAGES, 'packages.mjs')).href
  return (await import(/* @vite-ignore */ file)) as Packages
}
