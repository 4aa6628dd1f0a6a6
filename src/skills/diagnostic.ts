/** A problem in a SKILL.md, such as a field that was left out. */
export interface SkillDiagnostic {
  /** Line in the file, from 1. */
  readonly line: number
  readonly message: string
}

/** Thrown while a field is read. The field is then left out. */
export class Unreadable {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}
