// Links Angular's own packages, as its command line would do when it builds.
import '@angular/compiler'
import { Component, signal } from '@angular/core'
import { bootstrapApplication } from '@angular/platform-browser'
import { ChatPanel } from './angular-panel'
import { show } from './page'

const shown = signal('')

@Component({
  selector: 'app-root',
  imports: [ChatPanel],
  template: '<chat-panel [id]="shown()" />',
})
class Root {
  readonly shown = shown
}

let root: ReturnType<typeof bootstrapApplication> | undefined
show(
  (id) => {
    shown.set(id)
    root ??= bootstrapApplication(Root)
  },
  () => root?.then((started) => started.destroy()),
)
