import { createElement } from 'react'
import { expectTypeOf, test } from 'vitest'
import '../../src/ui/chat/index.ts'
import { OffstageChat } from '../../src/ui/react/index.ts'

test('chat events have the types of their details', () => {
  const chat = document.createElement('offstage-chat')
  chat.addEventListener('offstage-feedback', ({ detail }) => {
    expectTypeOf(detail.value).toEqualTypeOf<'good' | 'bad'>()
    expectTypeOf(detail.conversationId).toEqualTypeOf<string>()
  })
  document.addEventListener('offstage-view', ({ detail }) => {
    expectTypeOf(detail).toEqualTypeOf<{ readonly conversationId: string }>()
  })
})

test('a React app passes chat event listeners as properties', () => {
  createElement(OffstageChat, {
    'onoffstage-send': ({ detail }) => expectTypeOf(detail.text).toEqualTypeOf<string>(),
  })
  createElement(OffstageChat, {
    // @ts-expect-error -- No such detail.
    'onoffstage-send': ({ detail }) => detail.texts,
  })
})
