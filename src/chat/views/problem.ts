import { html, nothing, type TemplateResult } from 'lit'
import { problemKey } from '../problem-key.ts'
import type { ChatContext } from '../context.ts'

/** Why what was pressed of a call came to nothing. */
export function problemView(
  { local }: ChatContext,
  { toolCallId }: { readonly toolCallId: string },
): TemplateResult | typeof nothing {
  const problem = local.get<string>(problemKey(toolCallId))
  return problem === undefined ? nothing : html`<p class="problem" role="alert">${problem}</p>`
}
