/**
 * A language model of 2.5 MB for tests, written as GGUF v3
 * (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). Its next byte depends on the last one
 * alone: the embedding is the identity, attention and feed-forward weights are zero, and the output
 * layer holds log probabilities counted from a text. It babbles, and opens a tool call where its chat
 * template lets the assistant begin, so that constrained sampling gives real calls.
 */
export function tinyGguf(): Buffer {
  const vocabulary = createVocabulary()
  return serialize(metadata(vocabulary), tensors(vocabulary))
}

const HEADS = 8
const FEED_FORWARD = 64
const CONTEXT = 4096
const ALIGNMENT = 32

const TEXT = `the tool was called and the answer is in the page. click the button on the left, then read the list.
{"name": "click", "arguments": {"selector": "button", "text": "order"}}
{"name": "read", "arguments": {"id": 12, "ok": true}}
`

const SPECIAL = [
  '<|endoftext|>',
  '<|im_start|>',
  '<|im_end|>',
  '<tool_call>',
  '</tool_call>',
] as const

/** ChatML with tools, as Qwen's models have it. */
const CHAT_TEMPLATE = `{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {{- "# Tools\\n\\nYou may call one or more functions to assist with the user query.\\n\\nYou are provided with function signatures within <tools></tools> XML tags:\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools>\\n\\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\\n<tool_call>\\n{\\"name\\": <function-name>, \\"arguments\\": <args-json-object>}\\n</tool_call><|im_end|>\\n" }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == "user" or message.role == "system" %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {{- '<|im_start|>' + message.role }}
        {%- if message.content %}
            {{- '\\n' + message.content }}
        {%- endif %}
        {%- for tool_call in message.tool_calls %}
            {%- if tool_call.function is defined %}
                {%- set tool_call = tool_call.function %}
            {%- endif %}
            {{- '\\n<tool_call>\\n{"name": "' }}
            {{- tool_call.name }}
            {{- '", "arguments": ' }}
            {{- tool_call.arguments | tojson }}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "tool" %}
        {{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}`

interface Vocabulary {
  readonly tokens: readonly string[]
  readonly types: readonly number[]
  readonly merges: readonly string[]
  /** Width of the model: the vocabulary, rounded up so that the heads divide it. */
  readonly width: number
  id(token: (typeof SPECIAL)[number]): number
}

const NORMAL = 1
const CONTROL = 3
const USER_DEFINED = 4

/** GPT-2's byte tokens, where unprintable bytes get letters of their own, and the special ones. */
function createVocabulary(): Vocabulary {
  let unprintable = 0
  const bytes = Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
    return String.fromCodePoint(isPrintable ? byte : 256 + unprintable++)
  })
  // The format wants at least one merge.
  const merges = ['t h', 'th e']
  const merged = merges.map((merge) => merge.replace(' ', ''))
  const tokens = [...bytes, ...merged, ...SPECIAL]
  const types = [
    ...[...bytes, ...merged].map(() => NORMAL),
    ...SPECIAL.map((token) => (token.startsWith('<|') ? CONTROL : USER_DEFINED)),
  ]
  const width = Math.ceil(tokens.length / (HEADS * 8)) * HEADS * 8
  return { tokens, types, merges, width, id: (token) => tokens.indexOf(token) }
}

interface Tensor {
  readonly name: string
  /** Innermost first. */
  readonly shape: readonly number[]
  readonly values: Float32Array
}

function tensors(vocabulary: Vocabulary): Tensor[] {
  const { tokens, width } = vocabulary
  const size = tokens.length
  const chances = logProbabilities(vocabulary)
  // The normalised vector of one hot value is the root of its width there.
  const scale = Math.sqrt(width)
  const tensor = (
    name: string,
    shape: number[],
    value: (column: number, row: number) => number,
  ): Tensor => {
    const columns = shape[0] as number
    const values = new Float32Array(shape.reduce((product, length) => product * length, 1))
    for (let at = 0; at < values.length; at++)
      values[at] = value(at % columns, Math.floor(at / columns))
    return { name, shape, values }
  }
  const zero = (): number => 0
  const one = (): number => 1
  return [
    tensor('token_embd.weight', [width, size], (column, row) => (column === row ? 1 : 0)),
    tensor('output_norm.weight', [width], one),
    tensor('output.weight', [width, size], (column, row) =>
      column < size ? (chances[column]?.[row] as number) / scale : 0,
    ),
    tensor('blk.0.attn_norm.weight', [width], one),
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((name) =>
      tensor(`blk.0.${name}.weight`, [width, width], zero),
    ),
    tensor('blk.0.ffn_norm.weight', [width], one),
    tensor('blk.0.ffn_gate.weight', [width, FEED_FORWARD], zero),
    tensor('blk.0.ffn_up.weight', [width, FEED_FORWARD], zero),
    tensor('blk.0.ffn_down.weight', [FEED_FORWARD, width], zero),
  ]
}

/** By token, then by next token: of the bytes as the text has them, and of the marks around calls. */
function logProbabilities({ tokens, id }: Vocabulary): number[][] {
  const size = tokens.length
  const counts = tokens.map(() => new Float64Array(size).fill(0.02))
  const count = (from: number, to: number, more: number): void => {
    const row = counts[from] as Float64Array
    row[to] = (row[to] as number) + more
  }
  const bytes = new TextEncoder().encode(TEXT.repeat(3))
  for (let at = 1; at < bytes.length; at++) count(bytes[at - 1] as number, bytes[at] as number, 1)
  const [newline, brace, period] = Array.from('\n}.', (character) => character.charCodeAt(0)) as [
    number,
    number,
    number,
  ]
  const end = id('<|im_end|>')
  const open = id('<tool_call>')
  const close = id('</tool_call>')
  for (const from of [newline, brace, period]) count(from, end, 3)
  count(newline, open, 40)
  count(newline, close, 15)
  count(open, newline, 50)
  count(close, end, 50)
  count(brace, newline, 3)
  for (const token of SPECIAL) {
    if (token === '<|im_end|>') continue
    for (const [from, row] of counts.entries()) {
      if (from !== newline && from !== brace) row[id(token)] = 1e-6
    }
  }
  return counts.map((row) => {
    const total = row.reduce((sum, value) => sum + value, 0)
    return Array.from(row, (value) => Math.log(value / total))
  })
}

type Value =
  | { readonly type: 'u32' | 'f32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'i32s'; readonly value: readonly number[] }

function metadata({ tokens, types, merges, width, id }: Vocabulary): [string, Value][] {
  const u32 = (value: number): Value => ({ type: 'u32', value })
  const text = (value: string): Value => ({ type: 'string', value })
  return [
    ['general.architecture', text('llama')],
    ['general.name', text('tiny')],
    ['general.file_type', u32(0)],
    ['general.alignment', u32(ALIGNMENT)],
    ['llama.context_length', u32(CONTEXT)],
    ['llama.embedding_length', u32(width)],
    ['llama.block_count', u32(1)],
    ['llama.feed_forward_length', u32(FEED_FORWARD)],
    ['llama.attention.head_count', u32(HEADS)],
    ['llama.attention.head_count_kv', u32(HEADS)],
    ['llama.attention.layer_norm_rms_epsilon', { type: 'f32', value: 1e-5 }],
    ['llama.rope.dimension_count', u32(width / HEADS)],
    ['llama.vocab_size', u32(tokens.length)],
    ['tokenizer.ggml.model', text('gpt2')],
    ['tokenizer.ggml.pre', text('gpt-2')],
    ['tokenizer.ggml.tokens', { type: 'strings', value: tokens }],
    ['tokenizer.ggml.token_type', { type: 'i32s', value: types }],
    ['tokenizer.ggml.merges', { type: 'strings', value: merges }],
    ['tokenizer.ggml.bos_token_id', u32(id('<|endoftext|>'))],
    ['tokenizer.ggml.eos_token_id', u32(id('<|im_end|>'))],
    ['tokenizer.ggml.padding_token_id', u32(id('<|endoftext|>'))],
    ['tokenizer.ggml.add_bos_token', { type: 'bool', value: false }],
    ['tokenizer.chat_template', text(CHAT_TEMPLATE)],
  ]
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

const f32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

const string = (value: string): Buffer => {
  const bytes = Buffer.from(value, 'utf8')
  return Buffer.concat([u64(bytes.length), bytes])
}

/** The format's numbers for value types. */
const TYPES = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const
const FLOAT_TENSOR = 0

function encode(entry: Value): Buffer {
  switch (entry.type) {
    case 'u32':
      return Buffer.concat([u32(TYPES.u32), u32(entry.value)])
    case 'f32':
      return Buffer.concat([u32(TYPES.f32), f32(entry.value)])
    case 'bool':
      return Buffer.concat([u32(TYPES.bool), Buffer.from([entry.value ? 1 : 0])])
    case 'string':
      return Buffer.concat([u32(TYPES.string), string(entry.value)])
    case 'strings':
      return array(TYPES.string, entry.value.map(string))
    case 'i32s':
      return array(TYPES.i32, entry.value.map(u32))
    default:
      return entry satisfies never
  }
}

function array(type: number, items: readonly Buffer[]): Buffer {
  return Buffer.concat([u32(TYPES.array), u32(type), u64(items.length), ...items])
}

function serialize(entries: readonly [string, Value][], weights: readonly Tensor[]): Buffer {
  let offset = 0
  const descriptions = weights.flatMap(({ name, shape, values }) => {
    const at = offset
    offset += values.byteLength + padding(values.byteLength)
    return [string(name), u32(shape.length), ...shape.map(u64), u32(FLOAT_TENSOR), u64(at)]
  })
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(weights.length),
    u64(entries.length),
    ...entries.flatMap(([key, value]) => [string(key), encode(value)]),
    ...descriptions,
  ])
  const data = weights.flatMap(({ values }) => [
    Buffer.from(values.buffer),
    Buffer.alloc(padding(values.byteLength)),
  ])
  return Buffer.concat([head, Buffer.alloc(padding(head.length)), ...data])
}

function padding(length: number): number {
  return (ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT
}
