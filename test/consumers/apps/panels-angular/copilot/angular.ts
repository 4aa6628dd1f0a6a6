// Links Angular's own packages, as its command line would do when it builds.
import '@angular/compiler'
import { bootstrapApplication } from '@angular/platform-browser'
import { Copilot } from './angular-copilot'

void bootstrapApplication(Copilot)
