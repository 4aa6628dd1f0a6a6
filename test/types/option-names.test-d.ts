import type { OPTION_NAMES } from '../../src/client/api/check-names.ts'
import type {
  Agent,
  AgentOptions,
  ControlTool,
  ExtractOptions,
  Limits,
  ModelConfig,
  ModelPrices,
  ReflectOptions,
  RemoteSource,
  RegisterOptions,
  Retention,
  ResumeOptions,
  RunOptions,
  Script,
  ScriptStep,
  Skill,
  Tool,
  ToolAnnotations,
} from '../../src/index.ts'
import { expectTypeOf, test } from 'vitest'

type Split<Names extends string> = Names extends `${infer First} ${infer Rest}`
  ? NameOf<First> | Split<Rest>
  : NameOf<Names>

type Sign = `:${string}` | `=${string}`

/** Without the kinds of values. */
type NameOf<Spec extends string> = Spec extends `${infer Name}${Sign}` ? NameOf<Name> : Spec

interface Owners {
  controlTools: { [Name in ControlTool]: Name }
  createAgent: AgentOptions
  configure: Parameters<Agent['configure']>[0]
  run: RunOptions
  resume: ResumeOptions
  reflect: ReflectOptions
  registerTool: RegisterOptions
  extract: ExtractOptions<unknown>
  model: ModelConfig
  tool: Tool
  annotations: ToolAnnotations
  remote: RemoteSource
  limits: Limits
  retention: Retention
  prices: ModelPrices
  retry: NonNullable<ModelConfig['retry']>
  timeouts: NonNullable<ModelConfig['timeouts']>
  script: Script
  skills: Skill
  steps: ScriptStep
}

/** Never, unless a name is missing in the text or isn't there any more. */
type Differences = {
  [Owner in keyof Owners]:
    | Exclude<Split<(typeof OPTION_NAMES)[Owner]>, keyof Owners[Owner]>
    | Exclude<keyof Owners[Owner], Split<(typeof OPTION_NAMES)[Owner]>>
}[keyof Owners]

test('option names match their types', () => {
  expectTypeOf<Differences>().toEqualTypeOf<never>()
})
