import { describe, expect, test } from 'vitest';
import { loadHanFold } from '../../lib/recall/han-fold.js';
import { objectsOf, remembering, SHOP, textsOf } from './remembering.js';

describe('words of any language', () => {
  test.each([
    ['我们用什么数据库？', '数据库', 'Postgres 数据库集群'],
    ['Postgresのバージョンは？', 'バージョン', 'バージョン16'],
    ['배포 서버', '서버', '서버 3'],
    ['ticket sr-2023-052', 'SR-2023-052', 'SR-2023-052'],
    ['ＳＲ－２０２３－０５２', 'SR-2023-052', 'SR-2023-052'],
    ['who is deploying', 'deploys', 'deploys on Friday'],
    ['用 postgres 的 replica', 'Postgres replica', 'two Postgres replicas'],
    ['Müller', 'muller', 'Muller & Co.'],
  ])('%s', async (query, _what, object) => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    await shop.assert({ subject: 'shop', predicate: 'uses', object });
    for (const other of ['rain', '天气', 'コーヒー', '커피', 'AB-1999-001']) {
      await shop.assert({ subject: 'garden', predicate: 'uses', object: other });
    }
    const { hits } = await shop.search(query);
    expect(objectsOf(hits)[0]).toBe(object);
  });
});

describe('what is said again and again', () => {
  test('takes one place, and hides nothing else', async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    await shop.assert({ subject: 'warehouse', predicate: 'uses', object: 'Postgres' });
    await shop.transact((t) => {
      for (let seq = 0; seq < 500; seq++) {
        const evidence = [{ session: 's', seq, role: 'user' as const }];
        t.assert({ subject: 'shop', predicate: 'uses', object: 'Postgres', evidence });
      }
    });
    const { hits } = await shop.search('Who uses Postgres?');
    const subjects = hits.map((hit) => hit.kind === 'fact' && hit.fact.subject.name);
    expect(subjects.toSorted()).toEqual(['shop', 'warehouse']);
  });
});

describe('the floor', () => {
  const filled = async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    await shop.transact((t) => {
      for (let i = 0; i < 400; i++) {
        t.assert({
          subject: `part ${i}`,
          predicate: 'uses',
          object: `screw ${i % 7}`,
          statement: `The part needs work on its screw, number ${i}.`,
        });
      }
    });
    return shop;
  };

  test('tells noise from evidence', async () => {
    const shop = await filled();
    const noise = await shop.search('How did the opera in Vienna work around its budget of 1891?');
    expect(noise.status).toBe('no-evidence');
    expect((await shop.search('Which screw needs work?')).status).toBe('found');
  });

  test('can be lifted and lowered', async () => {
    const shop = await filled();
    const query = 'How did the opera in Vienna work around its budget of 1891?';
    expect((await shop.search(query, { floor: 0 })).status).toBe('found');
    expect((await shop.search('screw in Vienna opera', { floor: 0.9 })).status).toBe('no-evidence');
  });

  test('says in a trace what it cut', async () => {
    const shop = await filled();
    const { trace } = await shop.search('the opera at work in Vienna, around 1891, on a budget', {
      trace: true,
    });
    expect(trace?.hits).toEqual([]);
    expect(trace?.cut[0]).toMatchObject({ why: 'floor' });
  });
});

describe('entities that a question names', () => {
  const family = async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    await shop.assert({ subject: 'Ana', predicate: 'uses', object: { entity: 'Kafka' } });
    await shop.assert({ subject: 'Kafka', predicate: 'owner', object: { entity: 'Bo' } });
    await shop.assert({
      subject: 'Bo',
      predicate: 'home',
      object: 'Oslo',
      statement: 'The harbour is near.',
    });
    await shop.assert({
      subject: 'Zoe',
      predicate: 'home',
      object: 'Rome',
      statement: 'The harbour is far.',
    });
    return shop;
  };

  test('bring what is believed about them, from either end', async () => {
    const shop = await family();
    const { hits, trace } = await shop.search('tell me of Kafka', { trace: true });
    expect(objectsOf(hits).toSorted()).toEqual(['Bo', 'Kafka']);
    expect(trace?.entities).toEqual(['Kafka']);
    expect(hits.every((hit) => hit.scores.graph === 1)).toBe(true);
  });

  test('raise what they are connected with, where the words say so, too', async () => {
    const shop = await family();
    const { hits } = await shop.search('Kafka: is the harbour near or far?', { limit: 10 });
    const homes = hits.filter((hit) => hit.kind === 'fact' && hit.fact.predicate === 'home');
    expect(objectsOf(homes)).toEqual(['Oslo', 'Rome']);
    expect(homes.map((hit) => hit.scores.graph !== null)).toEqual([true, false]);
  });

  test('are known by a name that was given later', async () => {
    const shop = await family();
    await shop.entities.alias('Kafka', 'the broker');
    const { hits } = await shop.search('what about the broker');
    expect(objectsOf(hits)).toContain('Bo');
  });

  test('are told apart from what is written elsewhere', async () => {
    const shop = await family();
    const { hits } = await shop.search('Zoe');
    expect(objectsOf(hits)).toEqual(['Rome']);
    expect(textsOf(hits)).toEqual([]);
  });
});

describe('traditional and simplified Chinese', async () => {
  const fold = await loadHanFold();

  test.skipIf(fold.size === 0)('find each other', async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    await shop.assert({ subject: '團隊', predicate: 'uses', object: '會議紀錄軟體' });
    await shop.ingest([{ session: 'a', seq: 0, role: 'user', text: '数据库在会议室' }]);
    expect(objectsOf((await shop.search('团队的会议')).hits)).toEqual(['會議紀錄軟體']);
    expect(textsOf((await shop.search('會議室')).hits)).toEqual(['数据库在会议室']);
  });
});
