import { loadPart } from '../client/load-part.ts'
import type { McpDiagnosis } from './doctor/diagnosis.ts'
import type { McpFetch, McpOptions } from './options.ts'

/**
 * Why a page can't connect to an MCP server: asks it, as a page does, until it is known what is missing. Call it in the page
 * that is concerned. Rejects with `worker-load-failed`, and with what `token` throws.
 */
export async function diagnoseMcp(
  url: string | URL,
  options: { readonly token?: string | McpOptions['token']; readonly fetch?: McpFetch } = {},
): Promise<McpDiagnosis> {
  const { diagnose } = await loadPart(() => import('./doctor/diagnose.ts'))
  return diagnose(url, options)
}
