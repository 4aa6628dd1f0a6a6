import type { StepContext } from '../../protocol/questions.ts'
import type { RequestTokens, SentRequest } from '../../protocol/request.ts'
import { estimateTokens } from '../../lib/estimate-tokens.ts'
import type { ModelRequest } from '../../providers/provider.ts'
import { fixedSize, messageTokens, partTokens } from './compaction/request-size.ts'

type Asked = Pick<StepContext, 'instructions' | 'model' | 'tools'>

/**
 * Describes a request for the page. Pure.
 *
 * `plain` is the request as built, which the token counts are for. `configured` is the request that the provider gets.
 */
export function sentRequest(
  plain: ModelRequest,
  configured: ModelRequest,
  asked: Asked,
): SentRequest {
  const { instructions, messages, tools, trailer, toolMode = 'native' } = configured
  const { provider, model } = asked.model
  return {
    provider,
    model,
    toolMode,
    ...(instructions !== undefined && { instructions }),
    messages,
    tools,
    ...(trailer !== undefined && { context: trailer }),
    tokens: tokensOf(plain, asked),
  }
}

function tokensOf(plain: ModelRequest, asked: Asked): RequestTokens {
  const { instructions, tools, context } = fixedSize(plain)
  const superseding = new Set(
    asked.tools.flatMap(({ name, annotations }) => (annotations.supersedes ? [name] : [])),
  )
  let history = 0
  let snapshots = 0
  for (const message of plain.messages) {
    const all = messageTokens(message)
    let shown = 0
    if (message.role === 'tool')
      for (const part of message.parts)
        if (superseding.has(part.toolName)) shown += partTokens(part)
    history += all - shown
    snapshots += shown
  }
  const own = Math.min(instructions, estimateTokens(asked.instructions))
  return { instructions: own, tools: tools + instructions - own, history, snapshots, context }
}
