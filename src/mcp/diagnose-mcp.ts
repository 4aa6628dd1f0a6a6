import { loadPart } from '../client/load-part.ts'
import type { McpDiagnosis } from './doctor/diagnosis.ts'
import type { McpFetch, McpOptions } from './options.ts'

/**
 * Finds out why this page can't connect to an MCP server. Sends the requests of a page until the cause is known. Call
 * it in the affected page. Rejects with `worker-load-failed`, and with any error that `token` throws.
 */
export async function diagnoseMcp(
  url: string | URL,
  options: { readonly token?: string | McpOptions['token']; readonly fetch?: McpFetch } = {},
): Promise<McpDiagnosis> {
  const { diagnose } = await loadPart(() => import('./doctor/diagnose.ts'))
  return diagnose(url, options)
}
