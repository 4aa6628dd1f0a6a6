import type { ToolDefinitionOptions } from '../../client/define-tool.ts'
import { withUnloadNote } from '../../lib/unload-note.ts'
import { typedTool } from './typed-tool.ts'
import type { CommitsContext, DescribeContext, Tool, ToolContext } from '../../client/tool.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import type { ActionReport } from '../act/perform.ts'
import type { Target } from '../act/target.ts'
import type { Page, PageAction } from '../options.ts'
import { maskedInputs, type Written } from './masked-inputs.ts'
import {
  type Asked,
  type AskedUse,
  commits,
  describeUses,
  LOAD,
  mustAsk,
  readAsked,
  type Use,
} from './asked.ts'
import { readUnloadNote } from './unload-note.ts'
import { contains, isAttached } from '../dom.ts'
import { activated, controlAround } from '../act/activated.ts'
import { isNamedBy } from '../act/choices.ts'
import { describeElement } from '../act/describe.ts'
import { guardActions, type Touch } from '../act/guard-actions.ts'
import { marksOf, mustConfirm } from '../act/must-confirm.ts'
import { commitOf, type Doing, LEAVES, rememberPost } from '../act/commits.ts'
import {
  addressDigest,
  hasSameAround,
  isSameSubject,
  subjectLine,
  subjectOf,
} from '../act/subject.ts'
import { livePage, type LivePage } from '../outline/live-page.ts'
import { PageError } from '../page-error.ts'
import { lookUpRef } from '../refs.ts'

type Definition<Schema extends JsonSchema> = Omit<
  ToolDefinitionOptions<string, Schema, string>,
  'execute' | 'reconcile' | 'needsApproval' | 'commits' | 'secretsIn'
> & { readonly page: Page }
type Input<Schema extends JsonSchema> = Parameters<
  ToolDefinitionOptions<string, Schema, string>['execute']
>[0]

interface Action<Schema extends JsonSchema> {
  /** The elements that the call names, and what it does to them. */
  uses?(input: Input<Schema>): readonly Use[]
  /** What the call writes into elements. */
  writes?(input: Input<Schema>): readonly Written[]
  /** Whether a person is always to be asked about the call. Default: by what its `uses` are. */
  mustAsk?(input: Input<Schema>): boolean
  /** Whether the call commits the person to something. Default: by what its `uses` are. */
  commits?(input: Input<Schema>): boolean
  /**
   * `at`: the element of a target, where a person was asked about it. `mayCommit`: the call may do unasked what commits
   * the person to something.
   */
  act(
    input: Input<Schema>,
    context: ToolContext & { readonly mayCommit: boolean },
    at: (target: string) => Target,
  ): Promise<ActionReport>
}

/**
 * A tool that changes the page. It never runs beside another one, says what it is about to act on, acts on nothing
 * else than was approved, and finds out after a reload whether its action caused it.
 */
export function actingTool<const Schema extends JsonSchema>(
  { page, ...definition }: Definition<Schema>,
  { uses, writes, act, ...action }: Action<Schema>,
): Tool {
  /** Calls that are asked about when they commit the person to something, until they run. */
  const watched = new Set<string>()
  return typedTool<string, Schema, string>({
    ...(action.mustAsk && {
      needsApproval: (input: Input<Schema>) => action.mustAsk?.(input) || 'default',
    }),
    ...(uses && {
      needsApproval: (input: Input<Schema>) => mustAsk(page, uses(input)),
      describe: (input: Input<Schema>, call: DescribeContext) =>
        describeUses(page, uses(input), call),
    }),
    ...(writes && { secretsIn: (input: Input<Schema>) => maskedInputs(page, writes(input)) }),
    ...definition,
    annotations: { ...definition.annotations, untrustedContent: true },
    async commits(input: Input<Schema>, { toolCallId, tainted }: CommitsContext) {
      if (tainted) watched.add(toolCallId)
      return action.commits?.(input) ?? commits(page, uses?.(input) ?? [])
    },
    sequential: true,
    execute: (input: Input<Schema>, context: ToolContext) =>
      withUnloadNote(context.idempotencyKey, async () => {
        const mayCommit = !watched.delete(context.toolCallId)
        const allowed = { ...context, mayCommit }
        const at = await bindUses(page, uses?.(input) ?? [], allowed)
        return (await act(input, allowed, at)).text
      }),
    reconcile: (_input: Input<Schema>, { idempotencyKey }: { readonly idempotencyKey: string }) =>
      readUnloadNote(idempotencyKey),
  } as ToolDefinitionOptions<string, Schema, string>)
}

/**
 * The target of each use, and all checks of the call set up; to be called before it acts. `mayCommit`: the call may do
 * unasked what commits the person to something.
 */
async function bindUses(
  page: Page,
  uses: readonly Use[],
  {
    about,
    signal,
    mayCommit,
  }: Pick<ToolContext, 'about' | 'signal'> & { readonly mayCommit: boolean },
): Promise<(target: string) => Target> {
  const live = livePage(page)
  const asked = readAsked(about)
  const bound = new Map<AskedUse, Element>()
  for (const use of asked?.uses ?? []) bound.set(use, boundElement(asked, use, live))
  const guarded = { asked, bound, live, action: uses[0]?.action ?? 'click', mayCommit }
  const begun = new Set<AskedUse>()
  const used: Element[] = []
  guardActions(signal, {
    begin(element, touch) {
      used.push(element)
      const use = askedOf(element, touch, guarded)
      const doing = doingOf(uses[0], touch)
      const does = commitOf(element, doing, live.options)
      // Its name may count the characters that are typed.
      const typesOn = touch === undefined && guarded.action !== 'press' && use && begun.has(use)
      if (asked && use && !typesOn) requireSame(asked, use, { live, isUntouched: begun.size === 0 })
      if (use) {
        requireSameCommit(use, does)
        requireNamed(element, { use, touch, doing }, guarded)
        return void begun.add(use)
      }
      // A key goes where the focus is: there nobody was asked about.
      if (begun.size === 0 && asked?.uses.some(({ target }) => target === undefined))
        throw new PageError('stale-ref', FOCUS)
      requireNoQuestion(element, { does, touch, doing }, guarded)
    },
    goOn(element, touch) {
      const use = askedOf(element, touch, guarded)
      const doing = doingOf(uses[0], touch)
      const does = commitOf(element, doing, live.options)
      // The page may have renamed it as the button went down on it.
      if (use) {
        requireSameCommit(use, does)
        if (does === LEAVES) requireSameAddress(use, element, live)
        return requireNamed(element, { use, touch, doing }, guarded)
      }
      requireNoQuestion(element, { does, touch, doing }, guarded)
    },
    post() {
      const last = used.at(-1)
      if (last && !asked && !mayCommit) throw unconfirmed(last, rememberPost(used), live)
    },
  })
  return (target) => {
    const [, element] = [...bound].find(([use]) => use.target === target && !use.by) ?? []
    return element ?? target
  }
}

interface Guarded {
  readonly asked: Asked | null
  readonly bound: ReadonlyMap<AskedUse, Element>
  readonly live: LivePage
  readonly action: PageAction
  readonly mayCommit: boolean
}

function askedOf(
  element: Element,
  touch: Touch | undefined,
  { bound }: Guarded,
): AskedUse | undefined {
  const uses = [...bound.keys()].filter(
    (one) => isPartOf(element, bound.get(one)) && (touch !== 'drop' || one.action === 'drop'),
  )
  // A field may be filled in, and Enter pressed in it.
  return uses.find(({ action }) => action === (touch === 'activate' ? 'enter' : touch)) ?? uses[0]
}

interface Done {
  readonly does: string
  readonly touch: Touch | undefined
  readonly doing: Doing
}

/** Throws when what is about to be done commits the person to something else than they have approved. */
function requireSameCommit(use: AskedUse, does: string): void {
  if (!does || does === use.does) return
  throw new PageError(
    'stale-ref',
    `What would be used, ${does}, is not what was approved, ${subjectLine(use)}. ${AGAIN}`,
  )
}

/** Throws when a link to another site has got another address since a person approved it. */
function requireSameAddress(use: AskedUse, element: Element, live: LivePage): void {
  const address = addressDigest(element, use, live)
  if (address === use.address) return
  throw new PageError('stale-ref', `${subjectLine(use)}: it leads somewhere else now. ${AGAIN}`)
}

interface Pressed {
  readonly use: AskedUse
  readonly touch: Touch | undefined
  readonly doing: Doing
}

/** Throws when what is pressed is a part of its own about which a person is always asked, and what it is in was named. */
function requireNamed(
  element: Element,
  { use, touch, doing }: Pressed,
  { bound, live }: Guarded,
): void {
  const asked = bound.get(use)
  if (!touch || !asked) return
  const named = activated(asked, doing.action)
  // A part of a control presses all of it.
  if (named.includes(controlAround(element))) return
  const { options } = live
  const { classify } = options
  const rules = {
    ...options,
    ...(classify && {
      classify: (one: Element, action: PageAction) =>
        named.includes(one) ? undefined : classify(one, action),
    }),
    asked: named.flatMap(marksOf),
  }
  if (mustConfirm(element, doing.action, rules)) throw unconfirmed(element, '', live)
}

/** Throws when a person would have to be asked about the element, and was not. */
function requireNoQuestion(element: Element, { does, touch, doing }: Done, guarded: Guarded): void {
  const { asked, bound, live, action, mayCommit } = guarded
  const { options } = live
  // Asked about a choice, a person was asked about the option that it names.
  const choice = asked?.uses.find(
    (one) => one.action === 'select' && isNamedBy(element, one.labels ?? [], options),
  )
  // What is typed may go on within the part about which a person was asked.
  const marks = touch === undefined ? [...bound.values()].flatMap(marksOf) : []
  const actions = touch ? [action, doing.action] : [action]
  const isMarked =
    !choice && actions.some((one) => mustConfirm(element, one, { ...options, asked: marks }))
  const isUnasked = does !== '' && !mayCommit && choice?.does !== does
  if (!isMarked && !isUnasked) return
  throw unconfirmed(element, does, live)
}

function unconfirmed(element: Element, does: string, live: LivePage): PageError {
  const what = describeElement(controlAround(element), live)
  return new PageError('unconfirmed', `${what}${does && `, which ${does}`}. ${UNCONFIRMED}`)
}

const FOCUS =
  'The focus has moved since this was approved. Read the page, and say where to press the key.'
const UNCONFIRMED =
  'A person must be asked about this element first, and was not. It was not there, not marked, or not what the call named. Make the call again, with the ref of this element.'

/** What is done to an element that is about to be used: keys that type and pointers that move activate nothing. */
function doingOf(use: Use | undefined, touch: Touch | undefined): Doing {
  if (touch) return { action: touch === 'activate' ? 'enter' : touch }
  return use?.action === 'press' ? use : { action: 'type' }
}

function isPartOf(element: Element, bound: Element | undefined): boolean {
  return bound !== undefined && (contains(bound, element) || contains(element, bound))
}

/** The element that was asked about. Throws `stale-ref` when it is not there, or not what it was. */
function boundElement(asked: Asked | null, use: AskedUse, live: LivePage): Element {
  const element = asked?.load === LOAD ? lookUpRef(use.ref)?.element : undefined
  if (!asked || !element || !isAttached(element))
    throw new PageError('stale-ref', `${subjectLine(use)}: it is no longer on the page. ${AGAIN}`)
  requireSame(asked, use, { live, isUntouched: true })
  return element
}

function requireSame(
  asked: Asked,
  use: AskedUse,
  { live, isUntouched }: { readonly live: LivePage; readonly isUntouched: boolean },
): void {
  const element = lookUpRef(use.ref)?.element
  const now = element && isAttached(element) ? subjectOf(element, live, use) : null
  const elapsedMs = Date.now() - asked.at
  const isSame = now && isSameSubject(use, now, { elapsedMs, isUntouched })
  if (isSame && (!isUntouched || hasSameAround(use, now, { elapsedMs }))) return
  const [was, is] = [subjectLine(use), now && subjectLine(now)]
  // What differs may be what no line tells of.
  const hidden =
    now && hasSameAround(use, now, { elapsedMs })
      ? 'is another one in what is not shown: the end of a long name, place or address, or what it sends'
      : 'is in a form or dialog that holds something else now'
  const other = is === was ? hidden : `is ${is} now`
  const became = now ? other : 'is no longer on the page'
  throw new PageError('stale-ref', `What was approved, ${was}, ${became}. ${AGAIN}`)
}

const AGAIN = 'Nothing was done. Read the page again.'
