import type { Tool } from '../../client/tools/tool.ts'
import { badConfig } from '../../client/api/failures.ts'
import { checkNames } from '../../client/api/check-names.ts'

export type AnyFunction = (...args: never[]) => unknown

/** Describes a method as a tool: the fields of a tool except `execute`, all optional. They override inferred fields. */
export interface CallableOptions extends Partial<Omit<Tool, 'execute'>> {
  /**
   * How the input is passed to the function; requires an `inputSchema`. `'object'` passes the input itself. A list of
   * names passes these properties as arguments, in this order. Default: all properties of the schema, in their order. A
   * function whose first parameter is destructured gets the input itself by default.
   */
  readonly pass?: 'object' | readonly string[]
}

/** A standard decorator for methods and for fields that hold functions. Also marks a function directly. */
export interface AgentCallable {
  <Method extends AnyFunction>(method: Method, context?: ClassMethodDecoratorContext): Method
  (
    field: undefined,
    context: ClassFieldDecoratorContext,
  ): <Method extends AnyFunction>(method: Method) => Method
}

const marks = new WeakMap<AnyFunction, CallableOptions>()

/**
 * Marks a function as a tool for `toolsFrom`. `agentCallable({ description: '…' })(fn)` returns `fn`. Also a standard
 * decorator. Throws `invalid-config`.
 */
export function agentCallable(options: CallableOptions = {}): AgentCallable {
  checkCallable(options, 'agentCallable()')
  return ((method: unknown, context?: DecoratorContext) => {
    checkContext(context)
    if (context?.kind === 'field') return (initial: unknown) => mark(initial, options)
    return mark(method, options)
  }) as AgentCallable
}

export function markOf(method: AnyFunction): CallableOptions | undefined {
  return marks.get(method)
}

/** Throws `invalid-config` for an unknown or invalid field, and names it. */
export function checkCallable(options: unknown, label: string): asserts options is CallableOptions {
  checkNames(options, 'tool', { label, allows: (name) => name === 'pass' })
  const { execute, name = '', description = '', pass } = options as Partial<Tool> & CallableOptions
  if (execute) throw badConfig(`${label} must not have an execute(): its function is called.`)
  if (typeof name !== 'string' || typeof description !== 'string')
    throw badConfig(`name and description of ${label} must be strings.`)
  if (pass !== undefined && pass !== 'object' && !isListOfNames(pass))
    throw badConfig(`pass of ${label} must be 'object' or an array of names.`)
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function mark<Method>(method: Method, options: CallableOptions): Method {
  if (typeof method !== 'function')
    throw badConfig(
      'agentCallable() marks functions: agentCallable({ … })(fn), or as a standard decorator of a method. Older decorators (experimentalDecorators) pass something else.',
    )
  marks.set(method as unknown as AnyFunction, options)
  return method
}

function checkContext(context: DecoratorContext | undefined): void {
  // Legacy decorators pass the property's name here, and `functions.map(agentCallable())` passes an index.
  if (typeof context !== 'object') return
  if (context.kind !== 'method' && context.kind !== 'field')
    throw badConfig(`agentCallable() marks methods, not a ${context.kind}.`)
  if (context.private || typeof context.name === 'symbol')
    throw badConfig(`agentCallable() can't mark ${String(context.name)}: toolsFrom can't see it.`)
}
