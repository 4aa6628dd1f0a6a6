import type { Credentials } from '../../protocol/model.ts'
import type { StreamOptions } from '../provider.ts'
import { parseURL } from './secrets.ts'

interface Address {
  readonly provider: string
  readonly baseURL?: string | undefined
}

/** Asks the page for an endpoint's credentials. `rejected`: the endpoint refused the previous ones. */
export async function askCredentials(
  { credentials }: StreamOptions,
  rejected: boolean,
  { provider, baseURL }: Address,
): Promise<Credentials> {
  const url = parseURL(baseURL ?? '')
  const endpoint = {
    provider,
    ...(baseURL !== undefined && { baseURL }),
    ...(url && { origin: url.origin }),
  }
  return (await credentials?.(rejected, endpoint)) ?? {}
}
