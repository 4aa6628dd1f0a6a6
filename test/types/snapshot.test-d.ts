import type {
  Agent,
  AgentListener,
  CallError,
  CallPath,
  ConversationSnapshot,
  Ownership,
  PlanItem,
  Question,
  RetryNotice,
  SettledStatus,
  ShownCall,
  ShownRun,
  ToolCallStatus,
  UserContent,
} from '../../src/index.ts'
import { expectTypeOf, test } from 'vitest'

// An app whose own declarations are written can name only what the entry exports.
test('all types of a snapshot can be imported', () => {
  expectTypeOf<ConversationSnapshot['ownership']>().toEqualTypeOf<Ownership>()
  expectTypeOf<ConversationSnapshot['queued'][number]>().toEqualTypeOf<UserContent>()
  expectTypeOf<NonNullable<ConversationSnapshot['plan']>[number]>().toEqualTypeOf<PlanItem>()
  expectTypeOf<NonNullable<ShownRun['retry']>>().toEqualTypeOf<RetryNotice>()
  expectTypeOf<NonNullable<ShownCall['error']>>().toEqualTypeOf<CallError>()
  expectTypeOf<NonNullable<ShownCall['question']>>().toEqualTypeOf<Question>()
  expectTypeOf<ShownCall['path']>().toEqualTypeOf<CallPath>()
  expectTypeOf<SettledStatus>().toExtend<ToolCallStatus>()
  expectTypeOf<AgentListener<'storage'>>().toEqualTypeOf<
    Parameters<typeof agent.on<'storage'>>[1]
  >()
})

declare const agent: Agent
