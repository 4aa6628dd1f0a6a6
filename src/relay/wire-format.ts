/** A wire format that the relay forwards: everything that differs between the three. */
export interface WireFormat {
  readonly api: RelayApi
  /** End of the path, both at the relay and at the model's server. */
  readonly path: `/${string}`
  /** Fields of a body that are always allowed: they can't cost extra, store data or reach stored data. */
  readonly fields: ReadonlySet<string>
  /** Fields that limit the output. The first one is sent. */
  readonly outputLimits: readonly [string, ...string[]]
}

/** A JSON object before validation. */
export type Body = Readonly<Record<string, unknown>>

/** Wire formats that the relay forwards: OpenAI's Chat Completions and Responses, and Anthropic's Messages. */
export type RelayApi = 'chat-completions' | 'messages' | 'responses'

const COMMON =
  'model stream stream_options tools tool_choice parallel_tool_calls temperature top_p top_k'

function format(
  api: RelayApi,
  path: WireFormat['path'],
  { fields, outputLimits }: { fields: string; outputLimits: WireFormat['outputLimits'] },
): WireFormat {
  return {
    api,
    path,
    fields: new Set([...COMMON.split(' '), ...fields.split(' '), ...outputLimits]),
    outputLimits,
  }
}

/**
 * Limit fields of Chat Completions. Some OpenAI models refuse `max_tokens`; most other servers know only that field.
 */
function chatLimits(upstream: URL): WireFormat['outputLimits'] {
  const isOpenAI = /(^|\.)openai\.(azure\.)?com$|services(\.ai)?\.azure\.com$/.test(
    upstream.hostname,
  )
  return isOpenAI
    ? ['max_completion_tokens', 'max_tokens']
    : ['max_tokens', 'max_completion_tokens']
}

export function wireFormats(upstream: URL): readonly WireFormat[] {
  return [
    format('chat-completions', '/chat/completions', {
      fields:
        'messages stop seed min_p frequency_penalty presence_penalty response_format reasoning reasoning_effort reasoning_split thinking verbosity chat_template_kwargs',
      outputLimits: chatLimits(upstream),
    }),
    format('messages', '/messages', {
      fields: 'messages system stop_sequences thinking output_config output_format',
      outputLimits: ['max_tokens'],
    }),
    format('responses', '/responses', {
      fields: 'input instructions include reasoning text truncation',
      outputLimits: ['max_output_tokens'],
    }),
  ]
}
