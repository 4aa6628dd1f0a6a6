import type { Drive } from '../../../apps/drive.ts'
import { below, linesOf, type Line } from './outline.ts'

type Words = string | RegExp

/** A tool's reply, parsed into lines. */
export class Said {
  readonly text: string
  readonly lines: readonly Line[]

  constructor(text: string, lines: readonly Line[] = linesOf(text)) {
    this.text = text
    this.lines = lines
  }

  /** All with this role, and with this name or, without a name, this text. */
  all(role: string, words?: Words): readonly Line[] {
    return this.lines.filter(
      (line) => line.role === role && (words === undefined || says(line, words)),
    )
  }

  has(role: string, words?: Words): boolean {
    return this.all(role, words).length > 0
  }

  /** The one such element; it is an error that there are several. */
  one(role: string, words?: Words): Line {
    const [found, ...more] = this.all(role, words)
    if (!found || more.length > 0)
      throw new Error(`${more.length + (found ? 1 : 0)} of ${role} ${words}:\n${this.text}`)
    return found
  }

  ref(role: string, words?: Words): string {
    const { ref } = this.one(role, words)
    if (!ref) throw new Error(`No ref for ${role} ${words}:\n${this.text}`)
    return ref
  }

  /** The lines within an element. */
  within(role: string, words?: Words): Said {
    return this.inside(this.one(role, words))
  }

  inside(line: Line): Said {
    return new Said(this.text, below(this.lines, line))
  }
}

function says({ name, text }: Line, words: Words): boolean {
  return typeof words === 'string'
    ? name === words || (name === '' && text === words)
    : words.test(name) || words.test(text)
}

/** The tools, as a solver uses them. */
export interface Hands {
  /** Rejects if the tool reports an error. */
  act(tool: string, input?: object): Promise<Said>
  /** The tool's reply, even if it is an error. */
  attempt(tool: string, input?: object): Promise<Said>
  /** Reads the page, or a part of it. */
  look(ref?: string): Promise<Said>
  click(ref: string): Promise<Said>
  type(ref: string, text: string, more?: object): Promise<Said>
  press(key: string, ref?: string): Promise<Said>
}

/** Codes of errors, in front of what a tool says then. */
const FAILED = /^(?:uncaught|[a-z]+(?:-[a-z]+)*): /

export function handsOn({ call }: Pick<Drive, 'call'>): Hands {
  const attempt = async (tool: string, input: object = {}): Promise<Said> =>
    new Said(await call(tool, input))
  const act = async (tool: string, input: object = {}): Promise<Said> => {
    const said = await attempt(tool, input)
    if (FAILED.test(said.text)) throw new Error(`${tool} ${JSON.stringify(input)}\n${said.text}`)
    return said
  }
  return {
    act,
    attempt,
    look: (ref) => act('read_page', ref ? { ref } : {}),
    click: (ref) => act('click', { ref }),
    type: (ref, text, more = {}) => act('type_text', { ref, text, ...more }),
    press: (key, ref) => act('press_key', ref ? { key, ref } : { key }),
  }
}
