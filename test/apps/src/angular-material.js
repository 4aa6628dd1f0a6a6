// First, since it compiles the others' templates in the browser.
import '@angular/compiler'
import './angular-material.css'
import { Component, inject, provideZonelessChangeDetection, signal } from '@angular/core'
import { FormsModule } from '@angular/forms'
import { MatAutocompleteModule } from '@angular/material/autocomplete'
import { MatButtonModule } from '@angular/material/button'
import { MatButtonToggleModule } from '@angular/material/button-toggle'
import { MatCheckboxModule } from '@angular/material/checkbox'
import { MatChipsModule } from '@angular/material/chips'
import { provideNativeDateAdapter } from '@angular/material/core'
import { MatDatepickerModule } from '@angular/material/datepicker'
import { MatDialog, MatDialogModule } from '@angular/material/dialog'
import { MatExpansionModule } from '@angular/material/expansion'
import { MatInputModule } from '@angular/material/input'
import { MatMenuModule } from '@angular/material/menu'
import { MatPaginatorModule } from '@angular/material/paginator'
import { MatRadioModule } from '@angular/material/radio'
import { MatSelectModule } from '@angular/material/select'
import { MatSlideToggleModule } from '@angular/material/slide-toggle'
import { MatSliderModule } from '@angular/material/slider'
import { MatSnackBar } from '@angular/material/snack-bar'
import { MatSortModule } from '@angular/material/sort'
import { MatTableModule } from '@angular/material/table'
import { MatTabsModule } from '@angular/material/tabs'
import { bootstrapApplication } from '@angular/platform-browser'

const CITIES = ['Bern', 'Lisbon', 'Oslo', 'Porto', 'Rome']
const PEOPLE = [
  ['Linus', 55],
  ['Ada', 36],
  ['Grace', 85],
  ['Alan', 41],
].map(([name, age]) => ({ name, age }))

const state = {
  name: signal(''),
  fruit: signal(null),
  many: signal([]),
  city: signal(''),
  day: signal(null),
  on: signal(false),
  agreed: signal(false),
  size: signal(null),
  view: signal('list'),
  volume: signal(10),
  tab: signal(0),
  page: signal(0),
  sorted: signal(''),
  tags: signal(['News', 'Food']),
  people: signal(PEOPLE),
  picked: signal(''),
  confirmed: signal(false),
  undone: signal(false),
}
window.state = () => ({
  ...Object.fromEntries(Object.entries(state).map(([name, value]) => [name, value()])),
  day: state.day()?.toDateString() ?? null,
  people: state.people().map(({ name }) => name),
})

/** What the decorator's syntax would do, which plain JavaScript lacks. */
function component({ type, ...metadata }) {
  return Component(metadata)(type) ?? type
}

const Question = component({
  selector: 'app-question',
  imports: [MatDialogModule, MatButtonModule],
  template: `<h2 mat-dialog-title>Sure?</h2>
    <mat-dialog-content>This can't be taken back.</mat-dialog-content>
    <mat-dialog-actions><button matButton mat-dialog-close>No</button>
      <button matButton [mat-dialog-close]="true">Yes, do it</button></mat-dialog-actions>`,
  type: class {},
})

const Fields = component({
  selector: 'app-fields',
  imports: [
    FormsModule,
    MatAutocompleteModule,
    MatButtonToggleModule,
    MatCheckboxModule,
    MatDatepickerModule,
    MatInputModule,
    MatRadioModule,
    MatSelectModule,
    MatSlideToggleModule,
    MatSliderModule,
  ],
  template: `
    <mat-form-field><mat-label>Name</mat-label><input matInput [(ngModel)]="s.name"></mat-form-field>
    <mat-form-field><mat-label>Fruit</mat-label><mat-select [(ngModel)]="s.fruit">
      @for (one of ['Apple', 'Banana', 'Cherry']; track one) { <mat-option [value]="one">{{ one }}</mat-option> }
    </mat-select></mat-form-field>
    <mat-form-field><mat-label>Colours</mat-label><mat-select multiple [(ngModel)]="s.many">
      @for (one of ['Red', 'Green', 'Blue']; track one) { <mat-option [value]="one">{{ one }}</mat-option> }
    </mat-select></mat-form-field>
    <mat-form-field><mat-label>City</mat-label><input matInput [matAutocomplete]="cities" [(ngModel)]="s.city">
      <mat-autocomplete #cities="matAutocomplete">
        @for (one of found(); track one) { <mat-option [value]="one">{{ one }}</mat-option> }
      </mat-autocomplete></mat-form-field>
    <mat-form-field><mat-label>Day</mat-label><input matInput [matDatepicker]="picker" [(ngModel)]="s.day">
      <mat-datepicker-toggle matSuffix [for]="picker" /><mat-datepicker #picker [startAt]="start" /></mat-form-field>
    <mat-slide-toggle [(ngModel)]="s.on">Wifi</mat-slide-toggle>
    <mat-checkbox [(ngModel)]="s.agreed">Agree</mat-checkbox>
    <mat-radio-group aria-label="Size" [(ngModel)]="s.size"><mat-radio-button value="s">Small</mat-radio-button><mat-radio-button value="l">Large</mat-radio-button></mat-radio-group>
    <mat-button-toggle-group aria-label="View" [(ngModel)]="s.view"><mat-button-toggle value="list">List</mat-button-toggle><mat-button-toggle value="board">Board</mat-button-toggle></mat-button-toggle-group>
    <mat-slider min="0" max="100"><input matSliderThumb aria-label="Volume" [(ngModel)]="s.volume"></mat-slider>`,
  type: class {
    s = state
    start = new Date(2026, 2, 1)
    found() {
      return CITIES.filter((city) => city.toLowerCase().includes(state.city().toLowerCase()))
    }
  },
})

const People = component({
  selector: 'app-people',
  imports: [MatButtonModule, MatMenuModule, MatPaginatorModule, MatSortModule, MatTableModule],
  template: `
    <table mat-table [dataSource]="shown()" matSort (matSortChange)="sort($event)">
      <ng-container matColumnDef="name"><th mat-header-cell *matHeaderCellDef mat-sort-header>Person</th><td mat-cell *matCellDef="let row">{{ row.name }}</td></ng-container>
      <ng-container matColumnDef="age"><th mat-header-cell *matHeaderCellDef mat-sort-header>Age</th><td mat-cell *matCellDef="let row">{{ row.age }}</td></ng-container>
      <ng-container matColumnDef="actions"><th mat-header-cell *matHeaderCellDef>Actions</th><td mat-cell *matCellDef="let row">
        <button matButton [matMenuTriggerFor]="menu">More</button>
        <mat-menu #menu="matMenu"><button mat-menu-item (click)="edit(row)">Edit</button><button mat-menu-item (click)="remove(row)">Remove</button></mat-menu></td></ng-container>
      <tr mat-header-row *matHeaderRowDef="columns"></tr><tr mat-row *matRowDef="let row; columns: columns"></tr>
    </table>
    <mat-paginator [length]="s.people().length" [pageSize]="3" hidePageSize (page)="s.page.set($event.pageIndex)" />`,
  type: class {
    s = state
    columns = ['name', 'age', 'actions']
    bar = inject(MatSnackBar)
    shown() {
      return state.people().slice(state.page() * 3, state.page() * 3 + 3)
    }
    sort({ active, direction }) {
      state.sorted.set(`${active} ${direction}`)
      const sign = direction === 'desc' ? -1 : 1
      const compare = (a, b) => (a[active] < b[active] ? -sign : sign)
      state.people.update((people) => (direction ? people.toSorted(compare) : people))
    }
    edit({ name }) {
      state.picked.set(`edit ${name}`)
    }
    remove(row) {
      state.people.update((people) => people.filter((one) => one !== row))
      const notice = this.bar.open(`${row.name} is removed`, 'Undo')
      notice.onAction().subscribe(() => {
        state.undone.set(true)
        state.people.update((people) => [...people, row])
      })
    }
  },
})

const App = component({
  selector: '#app',
  imports: [Fields, People, MatButtonModule, MatChipsModule, MatExpansionModule, MatTabsModule],
  template: `<app-fields />
    <mat-tab-group [selectedIndex]="s.tab()" (selectedIndexChange)="s.tab.set($event)"><mat-tab label="One">First</mat-tab><mat-tab label="Two">Second</mat-tab></mat-tab-group>
    <mat-chip-set aria-label="Tags">@for (tag of s.tags(); track tag) {
      <mat-chip (removed)="drop(tag)">{{ tag }}<button matChipRemove [attr.aria-label]="'Remove ' + tag">x</button></mat-chip> }</mat-chip-set>
    <mat-expansion-panel><mat-expansion-panel-header>Shipping</mat-expansion-panel-header><button matButton (click)="s.picked.set('shipped')">Ship it</button></mat-expansion-panel>
    <app-people />
    <button matButton="filled" (click)="ask()">Open dialog</button>`,
  type: class {
    s = state
    dialog = inject(MatDialog)
    drop(tag) {
      state.tags.update((tags) => tags.filter((one) => one !== tag))
    }
    ask() {
      const closed = this.dialog.open(Question).afterClosed()
      closed.subscribe((answer) => state.confirmed.set(answer === true))
    }
  },
})

await bootstrapApplication(App, {
  providers: [provideZonelessChangeDetection(), provideNativeDateAdapter()],
})
