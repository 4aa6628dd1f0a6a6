/** A wire format that the relay passes on: all that differs between the three. */
export interface WireFormat {
  readonly api: RelayApi
  /** How the path ends, on both sides of the relay. */
  readonly path: `/${string}`
  /** Fields of a body that can't cost extra, can't store anything and can't reach stored data. */
  readonly fields: ReadonlySet<string>
  /** Fields that limit the output. The first one is sent where a request has none. */
  readonly outputLimits: readonly [string, ...string[]]
  /** A tool without a `type` is a function. */
  readonly hasUntypedTools: boolean
}

/** A JSON object as it came. */
export type Body = Readonly<Record<string, unknown>>

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
    hasUntypedTools: api === 'messages',
  }
}

/** Where OpenAI's models refuse `max_tokens`, most other servers know nothing else. */
function chatLimits(upstream: URL): WireFormat['outputLimits'] {
  const isOpenAI = /(^|\.)openai\.(com|azure\.com)$/.test(upstream.hostname)
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
