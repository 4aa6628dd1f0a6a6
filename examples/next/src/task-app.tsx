'use client'

import { OffstageChat, OffstageProvider } from 'offstage/react'
import { createTaskAgent, suggestions } from './agent'
import { TaskPage } from './task-page'
import { useNarrowWindow } from './use-narrow-window'

export function TaskApp() {
  const isNarrow = useNarrowWindow()
  return (
    <OffstageProvider create={createTaskAgent}>
      <TaskPage />
      <OffstageChat
        heading="Task helper"
        placement={isNarrow ? 'bubble' : 'panel'}
        suggestions={suggestions}
      />
    </OffstageProvider>
  )
}
