import { resolveCalls } from '../foreign-call.ts'
import { toolName } from '../names.ts'
import type { Dialect } from './dialect.ts'
import { lazyPattern, once } from '../../../lib/once.ts'

const name = lazyPattern(() => `(${toolName})\\s*`, 'uy')

/** Functionary 3.2: `>>>name`, and the parameters on the next line; `>>>all` is a reply. */
export const functionary: Dialect = {
  openers: [['>>>']],
  after: once(() => ({
    whole: new RegExp(`^(?!all\\s)${toolName}[ \\t]*\\r?\\n\\s*\\{`, 'u'),
    partial: new RegExp(`^(?:${toolName}[ \\t]*\\r?(?:\\n\\s*)?)?$`, 'u'),
  })),
  read({ reader, index }) {
    const tool = reader.match(name())?.[1] ?? reader.fail()
    return resolveCalls([{ name: tool, args: reader.value() }], index)
  },
}
