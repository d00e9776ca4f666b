import type { Session } from './session.js';

/** From the correction to the last day. */
export const SECOND_YEAR: readonly Session[] = [
  {
    id: 'bills',
    events: [
      {
        seq: 1,
        at: '2025-01-20T11:00:00Z',
        role: 'user',
        by: 'Mira',
        text: 'I went through the bills: Harbour never ran in eu-north. Only staging has been there since September; Harbour was in eu-west all along.',
        claims: [
          {
            verb: 'correct',
            was: { subject: 'Harbour', predicate: 'region', object: 'eu-north' },
            object: 'eu-west',
            from: '2024-05-06',
            quote: 'Harbour never ran in eu-north',
          },
          {
            verb: 'assert',
            subject: 'Harbour staging',
            predicate: 'region',
            object: 'eu-north',
            from: '2024-09',
            quote: 'Only staging has been there since September',
          },
        ],
      },
      {
        seq: 2,
        at: '2025-01-20T11:06:00Z',
        role: 'user',
        by: 'Jonas',
        text: 'Sorry. And the move to Porto is postponed to 15 March.',
        claims: [
          {
            verb: 'correct',
            was: { subject: 'Harbour', predicate: 'office', object: 'Porto' },
            from: '2025-03-15',
            quote: 'the move to Porto is postponed to 15 March',
          },
        ],
      },
      {
        seq: 3,
        at: '2025-01-20T11:20:00Z',
        role: 'user',
        by: '林悦',
        text: '补充一下：从去年 12 月起，我们用 Playwright 做回归测试。',
        claims: [
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'uses',
            object: 'Playwright',
            from: '2024-12',
            quote: '从去年 12 月起，我们用 Playwright 做回归测试',
          },
        ],
      },
    ],
  },
  {
    // Found in an old notebook: told long before, heard only now.
    id: 'notebook',
    receivedAt: '2025-02-10T16:00:00Z',
    events: [
      {
        seq: 1,
        at: '2024-06-20T16:00:00Z',
        role: 'user',
        by: 'Jonas',
        text: 'Memcached is our cache since 10 June. Backups go to Backblaze since the 17th.',
        claims: [
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'cache',
            object: 'Memcached',
            from: '2024-06-10',
            quote: 'Memcached is our cache since 10 June.',
          },
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'backups',
            object: 'Backblaze',
            from: '2024-06-17',
            quote: 'Backups go to Backblaze since the 17th.',
          },
        ],
      },
    ],
  },
  {
    id: 'february',
    events: [
      {
        seq: 1,
        at: '2025-02-17T09:30:00Z',
        role: 'user',
        by: 'Mira',
        text: 'CockroachDB is cancelled. We stay on Postgres, where we have been since 1 August.',
        claims: [
          {
            verb: 'end',
            subject: 'Harbour',
            predicate: 'database',
            object: 'CockroachDB',
            at: '2025-04-01',
            quote: 'CockroachDB is cancelled.',
          },
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'database',
            object: 'Postgres',
            from: '2024-08-01',
            quote: 'We stay on Postgres, where we have been since 1 August.',
          },
        ],
      },
      {
        seq: 2,
        at: '2025-02-17T09:41:00Z',
        role: 'user',
        by: '林悦',
        text: '移动端 1.0 已于 2 月 1 日发布，从那天起就是正式版。',
        claims: [
          {
            verb: 'assert',
            subject: '移动端',
            predicate: 'release',
            object: '1.0',
            from: '2025-02-01',
            quote: '移动端 1.0 已于 2 月 1 日发布',
          },
          {
            verb: 'assert',
            subject: '移动端',
            predicate: 'phase',
            object: '正式版',
            from: '2025-02-01',
            quote: '从那天起就是正式版',
          },
        ],
      },
    ],
  },
  {
    id: 'handover',
    events: [
      {
        seq: 1,
        at: '2025-03-03T09:00:00Z',
        role: 'user',
        by: 'Mira',
        text: 'From 1 March Jonas owns Harbour, and I work on Airport.',
        claims: [
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'owner',
            object: 'Jonas',
            from: '2025-03-01',
            quote: 'From 1 March Jonas owns Harbour',
          },
          {
            verb: 'assert',
            subject: 'Mira',
            predicate: 'works on',
            object: 'Airport',
            from: '2025-03-01',
            quote: 'I work on Airport',
          },
        ],
      },
      {
        seq: 2,
        at: '2025-03-03T09:12:00Z',
        role: 'user',
        by: 'Jonas',
        text: 'Tomas joined on 24 February. He has the pager since 1 March.',
        claims: [
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'member',
            object: 'Tomas',
            from: '2025-02-24',
            quote: 'Tomas joined on 24 February.',
          },
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'on call',
            object: 'Tomas',
            from: '2025-03-01',
            quote: 'He has the pager since 1 March.',
          },
        ],
      },
    ],
  },
  {
    id: 'porto',
    events: [
      {
        seq: 1,
        at: '2025-03-17T08:00:00Z',
        role: 'user',
        by: 'Jonas',
        text: 'We moved: since Saturday the 15th the office is in Porto.',
        claims: [
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'office',
            object: 'Porto',
            from: '2025-03-15',
            quote: 'since Saturday the 15th the office is in Porto',
          },
        ],
      },
      {
        seq: 2,
        at: '2025-03-17T08:30:00Z',
        role: 'user',
        by: 'Mira',
        text: 'By the way, Harbour has never used MongoDB. That was Airport.',
        claims: [
          {
            verb: 'deny',
            subject: 'Harbour',
            predicate: 'uses',
            object: 'MongoDB',
            from: '2024-05-06',
            quote: 'Harbour has never used MongoDB.',
          },
        ],
      },
    ],
  },
  {
    id: '四月',
    events: [
      {
        seq: 1,
        at: '2025-04-14T07:00:00Z',
        role: 'user',
        by: 'Jonas',
        text: 'On 1 June the hosting moves to eu-central.',
        claims: [
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'region',
            object: 'eu-central',
            from: '2025-06-01',
            quote: 'On 1 June the hosting moves to eu-central.',
          },
        ],
      },
      {
        seq: 2,
        at: '2025-04-14T07:10:00Z',
        role: 'user',
        by: '林悦',
        text: '从 5 月 1 日起，移动端改用 React Native。陈涛 4 月 7 日加入了我们。',
        claims: [
          {
            verb: 'assert',
            subject: '移动端',
            predicate: 'framework',
            object: 'React Native',
            from: '2025-05-01',
            quote: '从 5 月 1 日起，移动端改用 React Native',
          },
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'member',
            object: '陈涛',
            from: '2025-04-07',
            quote: '陈涛 4 月 7 日加入了我们',
          },
        ],
      },
    ],
  },
  {
    id: 'late-again',
    events: [
      {
        seq: 1,
        at: '2025-05-20T13:00:00Z',
        role: 'user',
        by: 'Jonas',
        text: 'eu-central is late, we move on 1 July instead. The public launch is postponed to 15 July.',
        claims: [
          {
            verb: 'correct',
            was: { subject: 'Harbour', predicate: 'region', object: 'eu-central' },
            from: '2025-07-01',
            quote: 'eu-central is late, we move on 1 July instead.',
          },
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'deadline',
            object: '2025-07-15',
            from: '2025-05-20',
            quote: 'The public launch is postponed to 15 July.',
          },
        ],
      },
      {
        seq: 2,
        at: '2025-05-20T13:04:00Z',
        role: 'user',
        by: '林悦',
        text: '6 月 1 日起，支付从 Stripe 换成 Adyen。',
        claims: [
          {
            verb: 'assert',
            subject: '港湾',
            predicate: 'payments',
            object: 'Adyen',
            from: '2025-06-01',
            quote: '6 月 1 日起，支付从 Stripe 换成 Adyen',
          },
        ],
      },
    ],
  },
  {
    id: 'launch',
    events: [
      {
        seq: 1,
        at: '2025-07-16T06:00:00Z',
        role: 'tool',
        by: 'deploy',
        text: 'deploy ok project=harbour version=2.0 region=eu-central since=2025-07-01',
        claims: [
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'region',
            object: 'eu-central',
            from: '2025-07-01',
            quote: 'region=eu-central since=2025-07-01',
          },
        ],
      },
      {
        seq: 2,
        at: '2025-07-16T07:00:00Z',
        role: 'user',
        by: 'Jonas',
        text: 'The public launch was yesterday. Harbour is in production!',
        claims: [
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'release',
            object: 'public launch',
            from: '2025-07-15',
            quote: 'The public launch was yesterday.',
          },
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'phase',
            object: 'production',
            from: '2025-07-15',
            quote: 'Harbour is in production!',
          },
        ],
      },
    ],
  },
  {
    id: '休假',
    events: [
      {
        seq: 1,
        at: '2025-08-01T03:00:00Z',
        role: 'user',
        by: '林悦',
        text: '8 月 4 日到 18 日我休假，移动端由陈涛代管。从 7 月起移动端用友盟做统计，2.0 今天发布。',
        claims: [
          {
            verb: 'assert',
            subject: '移动端',
            predicate: 'owner',
            object: '陈涛',
            from: '2025-08-04',
            to: '2025-08-18',
            quote: '8 月 4 日到 18 日我休假，移动端由陈涛代管',
          },
          {
            verb: 'assert',
            subject: '移动端',
            predicate: 'uses',
            object: '友盟',
            from: '2025-07',
            quote: '从 7 月起移动端用友盟做统计',
          },
          {
            verb: 'assert',
            subject: '移动端',
            predicate: 'release',
            object: '2.0',
            from: '2025-08-01',
            quote: '2.0 今天发布',
          },
        ],
      },
    ],
  },
  {
    id: 'back-again',
    events: [
      {
        seq: 1,
        at: '2025-09-08T09:00:00Z',
        role: 'user',
        by: 'Mira',
        text: 'I am back: since 1 September I own Harbour again, and am done with Airport.',
        claims: [
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'owner',
            object: 'Mira',
            from: '2025-09-01',
            quote: 'since 1 September I own Harbour again',
          },
          {
            verb: 'end',
            subject: 'Mira',
            predicate: 'works on',
            object: 'Airport',
            at: '2025-09-01',
            quote: 'am done with Airport',
          },
        ],
      },
      {
        seq: 2,
        at: '2025-09-08T09:05:00Z',
        role: 'user',
        by: 'Jonas',
        text: 'We switched Grafana off on 1 September.',
        claims: [
          {
            verb: 'end',
            subject: 'Harbour',
            predicate: 'uses',
            object: 'Grafana',
            at: '2025-09-01',
            quote: 'We switched Grafana off on 1 September.',
          },
        ],
      },
    ],
  },
  {
    id: '十月',
    events: [
      {
        seq: 1,
        at: '2025-10-13T02:00:00Z',
        role: 'user',
        by: '林悦',
        text: '陈涛 10 月 1 日离开了团队。港湾的缓存同一天换成了 Valkey。移动端从去年 6 月 3 日起一直由我负责。',
        claims: [
          {
            verb: 'end',
            subject: 'Harbour',
            predicate: 'member',
            object: '陈涛',
            at: '2025-10-01',
            quote: '陈涛 10 月 1 日离开了团队',
          },
          {
            verb: 'assert',
            subject: '港湾',
            predicate: 'cache',
            object: 'Valkey',
            from: '2025-10-01',
            quote: '港湾的缓存同一天换成了 Valkey',
          },
          {
            verb: 'assert',
            subject: '移动端',
            predicate: 'owner',
            object: '林悦',
            from: '2024-06-03',
            quote: '移动端从去年 6 月 3 日起一直由我负责',
          },
        ],
      },
    ],
  },
  {
    id: 'last-words',
    events: [
      {
        seq: 1,
        at: '2025-11-10T10:00:00Z',
        role: 'user',
        by: 'Jonas',
        text: 'I looked it up: Redis came on 15 September 2024, not on the 1st.',
        claims: [
          {
            verb: 'correct',
            was: { subject: 'Harbour', predicate: 'cache', object: 'Redis' },
            from: '2024-09-15',
            quote: 'Redis came on 15 September 2024, not on the 1st',
          },
        ],
      },
      {
        seq: 2,
        at: '2025-11-10T10:08:00Z',
        role: 'user',
        by: 'Mira',
        text: 'Version 3 is due on 1 March 2026.',
        claims: [
          {
            verb: 'assert',
            subject: 'Harbour',
            predicate: 'deadline',
            object: '2026-03-01',
            from: '2025-11-10',
            quote: 'Version 3 is due on 1 March 2026.',
          },
        ],
      },
      {
        seq: 3,
        at: '2025-11-10T10:15:00Z',
        role: 'user',
        by: '林悦',
        text: '备份从 11 月 1 日起放在阿里云。',
        claims: [
          {
            verb: 'assert',
            subject: '港湾',
            predicate: 'backups',
            object: '阿里云',
            from: '2025-11-01',
            quote: '备份从 11 月 1 日起放在阿里云',
          },
        ],
      },
    ],
  },
];
