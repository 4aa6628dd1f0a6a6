import type { CallsRead } from './block-reader.ts'
import type { ToolIndex } from './tool-index.ts'

export class ForeignScanner {
  readonly ignored: string[] = []
  readonly #show: (delta: string) => void
  constructor(_index: ToolIndex, show: (delta: string) => void) {
    this.#show = show
  }
  push(delta: string): void {
    this.#show(delta)
  }
  startLine(): void {}
  flush(): void {}
  end(_finishReason: string | undefined): CallsRead | undefined {
    return undefined
  }
}
