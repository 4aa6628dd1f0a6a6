import { createActionScanner } from '../../src/action/index.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'
import type { ToolDefinition } from '../../src/protocol/tool.ts'

export interface Call {
  readonly name: string
  readonly input: JsonValue | undefined
}

interface Choice {
  readonly finish_reason: string
  readonly message: {
    readonly tool_calls?: readonly { function: { name: string; arguments: string } }[]
  }
}

interface Answer {
  readonly prompt?: string
  readonly choices?: readonly Choice[]
  readonly __verbose?: { readonly content: string }
}

type Message = JsonObject & { readonly role: string }

const user: Message = { role: 'user', content: 'Do it.' }

/** Marks that end a turn, which servers take off. */
const END =
  /(?:<\|(?:im_end|eot_id|eom_id|eot|end|calls?|end_of_msg|END_OF_TURN_TOKEN|end_of_text)\|>|<SPECIAL_12>|<｜(?:hy_eos|end▁of▁sentence)[^｜]*｜>|<seed:eos>|<\|tool_response>|<turn\|>)\s*$/

/** A llama-server with a chat template. Renders calls with the template, and reads them with llama.cpp. */
export class WrittenCalls {
  readonly #url: string
  readonly #tools: JsonObject[]
  /** The prompt before an answer, and the text that the template adds after an answer without calls. */
  #frame: { readonly prompt: string | undefined; readonly end: string } | undefined

  constructor(url: string, tools: readonly ToolDefinition[]) {
    this.#url = url
    this.#tools = tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema as JsonObject },
    }))
  }

  /** Renders the calls as a model of this template writes them. Undefined if the template can't express them. */
  async write(calls: readonly { name: string; input: JsonObject }[]): Promise<string | undefined> {
    this.#frame ??= await this.#renderFrame()
    const tool_calls = calls.map(({ name, input }, index) => ({
      id: `call0000${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }))
    const called = await this.#render([user, { role: 'assistant', content: '', tool_calls }])
    const { prompt, end } = this.#frame
    if (prompt === undefined || called === undefined) return undefined
    const text = withoutEnd(called.slice(startOf(prompt, called)), end)
    const [{ name } = { name: '' }] = calls
    return text.split(name).length > calls.length ? text : undefined
  }

  /** Calls that llama.cpp finds in a text. Undefined if it can't parse the text. */
  async read(text: string): Promise<readonly Call[] | undefined> {
    const { choices } = await this.#ask('/v1/chat/completions', {
      messages: [user, { role: 'assistant', content: text }],
      continue_final_message: 'content',
      add_generation_prompt: false,
      echo: true,
      max_tokens: 0,
    })
    return choices && callsOf(choices)
  }

  /** A text whose rest llama.cpp's grammar wrote, and the calls in it; undefined where it didn't end. */
  async complete(
    beginning: string,
  ): Promise<{ readonly text: string; readonly calls: readonly Call[] } | undefined> {
    const { choices, __verbose } = await this.#ask('/v1/chat/completions', {
      messages: [user, { role: 'assistant', content: beginning }],
      continue_final_message: 'content',
      add_generation_prompt: false,
      echo: true,
      tool_choice: 'required',
      temperature: 0,
      seed: 1,
      max_tokens: 200,
    })
    if (!choices || !__verbose || choices[0]?.finish_reason !== 'tool_calls') return undefined
    return { text: beginning + __verbose.content, calls: callsOf(choices) ?? [] }
  }

  async #renderFrame(): Promise<{ readonly prompt: string | undefined; readonly end: string }> {
    const content = 'A reply.'
    const replied = (await this.#render([user, { role: 'assistant', content }])) ?? content
    const end = replied.slice(replied.lastIndexOf(content) + content.length)
    return { prompt: await this.#render([user], true), end }
  }

  async #render(messages: readonly Message[], isPrompt = false): Promise<string | undefined> {
    const body = { messages, add_generation_prompt: isPrompt }
    return (await this.#ask('/apply-template', body)).prompt
  }

  async #ask(path: string, body: object): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method: 'POST',
      body: JSON.stringify({ tools: this.#tools, ...body }),
    })
    return (await response.json()) as Answer
  }
}

/** The reader under test, native mode: the calls that may run. */
export function readHere(text: string, tools: readonly ToolDefinition[]): readonly Call[] {
  const scanner = createActionScanner(tools, { rescue: true })
  const pieces = text.match(/[^]{1,5}/gu) ?? []
  const parts = pieces.flatMap((piece) => scanner.push(piece))
  return [...parts, ...scanner.end({ finishReason: 'stop' })].flatMap((part) =>
    part.type === 'tool-call' && part.input !== undefined
      ? { name: part.toolName, input: part.input }
      : [],
  )
}

function callsOf([choice]: readonly Choice[]): readonly Call[] | undefined {
  return choice?.message.tool_calls?.map((call) => ({
    name: call.function.name,
    input: JSON.parse(call.function.arguments) as JsonValue,
  }))
}

/** Where the model's own text begins; the prompt may have opened thoughts that history leaves out. */
function startOf(prompt: string, history: string): number {
  let at = 0
  while (at < prompt.length && prompt[at] === history[at]) at += 1
  if (at === prompt.length) return at
  const mark = history.lastIndexOf('<', at - 1)
  return mark > history.lastIndexOf('>', at - 1) ? mark : at
}

/** A text without the end of its turn, which is that of a turn without calls or a mark of its own. */
function withoutEnd(text: string, end: string): string {
  let same = 0
  while (same < end.length && text.at(-1 - same) === end.at(-1 - same)) same += 1
  while (same > 0 && same < end.length && !/^[<\n[]/.test(end.slice(-same))) same -= 1
  let rest = text.slice(0, text.length - same)
  while (END.test(rest)) rest = rest.replace(END, '')
  return rest
}
