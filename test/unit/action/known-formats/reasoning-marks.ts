import { json, lyon } from './samples.ts'
import type { Sample } from './samples.ts'

/** How a family of models marks its reasoning. */
export interface ReasoningMarks {
  /** First cell of the family's row in docs/action.md. */
  readonly row: string
  readonly open: string
  readonly close: string
  /** Marks around the reply itself. */
  readonly reply?: readonly [string, string]
  /** The prompt's template may have written the opener. */
  readonly prefilled?: true
}

/** A sample whose output may start inside the reasoning. */
export interface ThoughtSample extends Sample {
  readonly reasoning: string
  readonly prefilled: boolean
}

const call = `<tool_call>\n${json(lyon)}\n</tool_call>`

export function thoughtsOf(marks: ReasoningMarks): Map<string, ThoughtSample> {
  const { open, close, reply: [before, after] = ['', ''] } = marks
  const thought = 'They want Lyon.\nTwo nights, then.'
  const text = 'I found three hotels.'
  const written = { calls: [], text, reasoning: thought, prefilled: false }
  const samples = new Map<string, ThoughtSample>([
    [
      'thoughts, then the reply',
      { ...written, output: `${open}${thought}${close}\n\n${before}${text}${after}` },
    ],
    [
      'no thoughts',
      { ...written, output: `${open}${close}\n\n${before}${text}${after}`, reasoning: '' },
    ],
    [
      'thoughts, then a call',
      { ...written, output: `${open}${thought}${close}\n\n${call}`, calls: [lyon], text: '' },
    ],
    [
      'thoughts about a call',
      {
        ...written,
        output: `${open}${thought}\n${call}${close}\n\n${before}${text}${after}`,
        reasoning: `${thought}\n${call}`,
      },
    ],
  ])
  if (marks.prefilled)
    samples.set('the template opened them', {
      ...written,
      prefilled: true,
      output: `${thought}${close}\n\n${before}${text}${after}`,
    })
  return samples
}

export const reasoningMarks: readonly ReasoningMarks[] = [
  { row: '`<think>…</think>`', open: '<think>', close: '</think>', prefilled: true },
  { row: '`<thinking>…</thinking>`', open: '<thinking>', close: '</thinking>', prefilled: true },
  { row: '`<thought>…</thought>`', open: '<thought>', close: '</thought>', prefilled: true },
  {
    row: '`<think>` and `<answer>` or `<response>`',
    open: '<think>',
    close: '</think>',
    reply: ['<answer>\n', '\n</answer>'],
    prefilled: true,
  },
  { row: '`[THINK]…[/THINK]`', open: '[THINK]', close: '[/THINK]', prefilled: true },
  {
    row: '`<seed:think>…</seed:think>`',
    open: '<seed:think>',
    close: '</seed:think>',
    prefilled: true,
  },
  { row: '`<mm:think>…</mm:think>`', open: '<mm:think>', close: '</mm:think>', prefilled: true },
  {
    row: '`<longcat_think>…</longcat_think>`',
    open: '<longcat_think>',
    close: '</longcat_think>',
    prefilled: true,
  },
  {
    row: '`<think:opensource>…</think:opensource>`',
    open: '<think:opensource>',
    close: '</think:opensource>',
    prefilled: true,
  },
  {
    row: '`<ifm|think>…</ifm|think>`',
    open: '<ifm|think>',
    close: '</ifm|think>',
    prefilled: true,
  },
  { row: '`◁think▷…◁/think▷`', open: '◁think▷', close: '◁/think▷', prefilled: true },
  { row: '`<|channel>thought…<channel|>`', open: '<|channel>thought\n', close: '<channel|>' },
  {
    row: '`<|channel|>analysis<|message|>…<|end|>`',
    open: '<|channel|>analysis<|message|>',
    close: '<|end|>',
    reply: ['<|start|>assistant<|channel|>final<|message|>', '<|return|>'],
  },
  {
    row: '`<|START_THINKING|>…<|END_THINKING|>`',
    open: '<|START_THINKING|>',
    close: '<|END_THINKING|>',
    reply: ['<|START_RESPONSE|>', '<|END_RESPONSE|>'],
    prefilled: true,
  },
  {
    row: '`<|inner_prefix|>…<|inner_suffix|>`',
    open: '<|inner_prefix|>',
    close: '<|inner_suffix|>',
  },
  {
    row: '`<|thought_start|>…<|thought_end|>`',
    open: '<|thought_start|>',
    close: '<|thought_end|>',
  },
  { row: '`[unused16]…[unused17]`', open: '[unused16]', close: '[unused17]', prefilled: true },
  {
    row: '`<|think:start|>…<|think:end|>`',
    open: '<|think:start|>',
    close: '<|think:end|>',
    prefilled: true,
  },
  {
    row: '`<|think|>…<|end|>`',
    open: '<|think|>',
    close: '<|end|>',
    reply: ['<|begin|>assistant<|content|>', '<|end|>'],
  },
  {
    row: '`<|plamo:begin_think:plamo|>…`',
    open: '<|plamo:begin_think:plamo|>',
    close: '<|plamo:end_think:plamo|>',
    prefilled: true,
  },
  {
    row: '`<|open|>think<|sep|>…`',
    open: '<|open|>think<|sep|>',
    close: '<|close|>think<|sep|>',
    reply: ['<|open|>response<|sep|>', '<|close|>response<|sep|>'],
    prefilled: true,
  },
  {
    row: '`<|content_thinking|>…<|end_message|>`',
    open: '<|message_model|><|content_thinking|>',
    close: '<|end_message|>',
    reply: ['<|message_model|><|content_text|>', '<|end_message|>'],
  },
  {
    row: '`to=self<|message|>…<|eom|>`',
    open: ' to=self<|message|>',
    close: '<|eom|>',
    reply: ['<|start|>assistant to=user<|message|>', '<|eot|>'],
  },
  {
    row: '`Here are my reasoning steps:` … `[BEGIN FINAL RESPONSE]`',
    open: 'Here are my reasoning steps:\n',
    close: '\n[BEGIN FINAL RESPONSE]',
    reply: ['', '\n[END FINAL RESPONSE]'],
    prefilled: true,
  },
  {
    row: '`Here is my thought process:` … `Here is my response:`',
    open: 'Here is my thought process:\n',
    close: '\nHere is my response:',
  },
]
